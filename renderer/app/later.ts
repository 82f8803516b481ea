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
