/** What the page may load and do, as the shell enforces it. Pure, so that each rule has a test. */

export const pageScheme = 'sluice';
export const pageOrigin = `${pageScheme}://app`;

/** No inline code, nothing from elsewhere, and no connection at all: the page reaches the engine over the bridge. */
export const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'none'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': contentPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The file of the built page that an address names, null for anything outside it or of another kind. */
export function pageFile(address: string): { readonly path: readonly string[]; readonly type: string } | null {
  if (!isOwnPage(address)) return null;
  let name: string;
  try {
    name = decodeURIComponent(new URL(address).pathname);
  } catch {
    return null;
  }
  const path = name === '/' ? ['index.html'] : name.slice(1).split('/');
  if (path.some((part) => !/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(part))) return null;
  const type = types[path.at(-1)?.split('.').at(-1) ?? ''];
  return type === undefined ? null : { path, type };
}

/** Whether a frame or a navigation is the page itself. */
export function isOwnPage(address: string): boolean {
  try {
    const { protocol, host, username, password } = new URL(address);
    return protocol === `${pageScheme}:` && host === 'app' && username === '' && password === '';
  } catch {
    return false;
  }
}
