import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

interface Served {
  readonly bytes: Buffer;
  readonly type: string;
  /** True for files whose name changes with their content. */
  readonly immutable: boolean;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};

/** Scripts, styles, images and connections of our own origin; nothing inline, nothing foreign, in nobody's frame. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The files of the user interface and of the documents, read once; a folder is its `index.html`. A request can only
 * name an entry of this map, so no path leads out of the directory; links and hidden files are left out.
 */
export function readFiles(directory: string): ReadonlyMap<string, Served> {
  const files = new Map<string, Served>();
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.startsWith('.')) continue;
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(directory, file).split(sep).join('/')}`;
    const type = types[extname(entry.name).toLowerCase()] ?? 'application/octet-stream';
    const served = { bytes: readFileSync(file), type, immutable: path.startsWith('/assets/') };
    files.set(path, served);
    if (entry.name === 'index.html') files.set(path.slice(0, -entry.name.length), served);
  }
  return files;
}

export function fileHeaders(file: Served): Record<string, string> {
  return {
    'content-type': file.type,
    'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    'content-security-policy': contentSecurityPolicy,
    'cross-origin-opener-policy': 'same-origin',
    'x-frame-options': 'DENY',
  };
}
