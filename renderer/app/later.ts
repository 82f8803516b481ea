import { lazy, type ComponentType } from 'react';
import { NotLoaded } from './not-loaded.tsx';

type Page = ComponentType<{ readonly rest: readonly string[] }>;

/** A page whose script comes when it is opened for the first time; one that does not come is said in words. */
export function later(load: () => Promise<Page>): Page {
  return lazy(() =>
    load().then(
      (loaded) => ({ default: loaded }),
      (): { default: Page } => ({ default: NotLoaded }),
    ),
  );
}

const soon = new Set<() => Promise<Page>>();

/**
 * The same for a page that shows money under way: fetched as soon as the first page stands, so that it is there though
 * the node ends.
 */
export function soonAfter(load: () => Promise<Page>): Page {
  soon.add(load);
  return later(load);
}

/** Once nothing else is waited for. One that does not come is asked for again when it is opened. */
export function fetchSoon(): void {
  const loads = [...soon];
  soon.clear();
  for (const load of loads) void load().catch(() => undefined);
}
