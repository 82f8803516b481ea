import { useSyncExternalStore } from 'react';

/** The parts of `#/swaps/3f2a`: the page, and what on it. */
export type Route = readonly string[];

export function routeOf(hash: string): Route {
  return hash
    .replace(/^#\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .map(decode);
}

/** The address of a page, or of something on it. */
export function hrefTo(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

export function goTo(...parts: readonly string[]): void {
  location.hash = hrefTo(...parts);
}

export function useRoute(): Route {
  return routeOf(useSyncExternalStore(listen, hash, () => ''));
}

function hash(): string {
  return location.hash;
}

function listen(changed: () => void): () => void {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
}

/** An address that somebody mistyped is a page that does not exist, not an error. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
