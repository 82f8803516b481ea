import { access } from 'node:fs/promises';
import { readMarkAt } from './outside-mark.ts';
import type { Position } from './store/position.ts';

interface Options {
  /** Whether the database may be older than what happened; asked anew each time. */
  readonly isDoubted: () => boolean;
  /** Whether that was seen just now, and nothing was written outside by this life yet. */
  readonly isUnwritten: () => boolean;
  /** Where notes were to lie on other disks when this run began. */
  readonly atStart: readonly string[];
  readonly position: () => Position;
  /** 32 bytes of the seed, by which marks are sealed. */
  readonly key: Uint8Array;
  readonly settings: {
    get<T>(name: string): T | null;
    put(name: string, value: unknown): void;
  };
}

const setting = 'places-without-notes';

/**
 * Whether a place outside of the data folder where no notes lie is empty, or only not mounted: a copy of the database
 * knows nothing of what its own disk has (facts/faults.md 312). What a run of this life wrote says nothing, for it may
 * lie on the mount point.
 *
 * Loses money when wrong: a refund is signed for a coin whose claim the other side has our signature for.
 */
export function createNotedPlaces({ isDoubted, isUnwritten, atStart, position, key, settings }: Options) {
  const accepted = new Set<string>();
  const saved = settings.get<{ life: number; places: string[] }>(setting);

  /** Those of an earlier life were judged for that one alone, and a copy of the database has them too. */
  function empty(): readonly string[] {
    const before = !isUnwritten() && saved?.life === position().life ? saved.places : [];
    return [...accepted, ...before];
  }

  /** For the next start in the same life. */
  function save(): void {
    settings.put(setting, { life: position().life, places: empty() });
  }

  /** The copy of the bundle lies there from before this run, or a mark of these words from an earlier life. */
  async function isOurs(place: string): Promise<boolean> {
    const base = place.slice(0, place.lastIndexOf('.'));
    const mark = await readMarkAt(`${base}.mark`, key);
    const { life, seed } = position();
    if (mark !== null && mark.seed === seed && (isUnwritten() || mark.life < life)) return true;
    return isUnwritten() && (await isThere(base));
  }

  return {
    /** Rejects where the place does not answer. */
    async mayBeEmpty(place: string): Promise<boolean> {
      if (!isDoubted() || empty().includes(place)) return true;
      // Of one that the owner has named since nothing is forgotten.
      if (atStart.includes(place) && !(await isOurs(place))) return false;
      accepted.add(place);
      if (!isUnwritten()) save();
      return true;
    },
    /** Once the life has begun in which the database counts as older. */
    begun: save,
  };
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
