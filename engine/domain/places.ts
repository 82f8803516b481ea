import { holderOf } from './site.ts';

/** How many there are: of one client or site, and of all together. */
export interface Places {
  readonly ofHolder: number;
  readonly ofAll: number;
}

/**
 * Places that requests hold until they are answered, so that no client takes them all (facts/faults.md 363). `take`
 * answers with how the place is given back, and with null where there is none left. The owner, who is no client,
 * always has one.
 */
export function createPlaces({ ofHolder, ofAll }: Places) {
  const ofHolders = new Map<string, number>();
  let all = 0;

  function count(holder: string, by: 1 | -1): void {
    all += by;
    const now = (ofHolders.get(holder) ?? 0) + by;
    if (now === 0) ofHolders.delete(holder);
    else ofHolders.set(holder, now);
  }

  return {
    take(client: string | null): (() => void) | null {
      if (client === null) return () => undefined;
      const holder = holderOf(client);
      if (all >= ofAll || (ofHolders.get(holder) ?? 0) >= ofHolder) return null;
      count(holder, 1);
      let counts = true;
      return () => {
        if (counts) count(holder, -1);
        counts = false;
      };
    },
  };
}
