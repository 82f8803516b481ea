import { routes, type RouteName } from '../engine/contract/routes.ts';
import { electronFlag } from './node-flags.ts';

/** What the page may load and do, as the shell enforces it. Pure, so that each rule has a test. */

export const pageScheme = 'sluice';
export const pageOrigin = `${pageScheme}://app`;

/**
 * No inline code, nothing from elsewhere, and no connection at all: the page reaches the engine over the bridge. The
 * sandbox has its own scripts and form events; dialogs, printing, downloads, other windows and leaving the page it has
 * not.
 */
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
  'sandbox allow-scripts allow-same-origin allow-forms',
].join('; ');

export const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': contentPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** What the window's contents are given; the page's session and the preload come to it. */
export const windowPreferences = {
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  webviewTag: false,
  navigateOnDragDrop: false,
  plugins: false,
  safeDialogs: true,
  spellcheck: false,
} as const;

/** Electron grants what nobody decides. Copying an invoice is all that a page of swaps needs; it has no camera. */
export function permits(permission: string, requester: string): boolean {
  return permission === 'clipboard-sanitized-write' && isOwnPage(requester);
}

/** In a program that was installed they are never there. */
export function allowsDevTools(args: readonly string[], packaged: boolean): boolean {
  return !packaged && args.includes('--devtools');
}

/** Switches of Chromium and Node that let another program of this user into the window or the engine. */
const opening =
  /^--(remote-debugging-(port|pipe|address)|inspect(-brk|-port|-publish-uid|-wait)?|js-flags|load-extension)(=|$)/;

export function opensItself(args: readonly string[], packaged: boolean): boolean {
  return packaged && args.some((arg) => opening.test(arg) && arg !== electronFlag);
}

/**
 * What spends, or decides what may be spent, by the table of routes: only right after a press in the window, so that no
 * script does it alone.
 */
export function needsPress(route: RouteName): boolean {
  return routes[route].spends;
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
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
