import { z } from 'zod';
import { seconds, type Seconds, type Unix } from '../domain/time.ts';
import { exactly, unix } from '../legs/shape.ts';
import { ifKnown } from '../runtime/networks/if-known.ts';
import type { Ports } from '../runtime/ports.ts';

/** Since when the operator, or one act of it, was found wanting: kept from one run to the next, by median time past. */
export interface Trouble {
  /** `operator`, or a coin that it denies us. */
  readonly of: string;
  readonly since: Unix;
}

export const troubleShape = exactly<Trouble>()(z.strictObject({ of: z.string(), since: unix }));

/** The operator as a whole: it does not answer. */
export const operatorTrouble = 'operator';

/** What keeps an operator from being given up for one bad hour, though nobody watches it between two runs. */
export interface Troubles {
  note(of: string, now: Unix): void;
  /** It was served. */
  over(of: string): void;
  /** Null while there is none. */
  lasts(of: string, now: Unix): Seconds | null;
  all(): readonly Trouble[];
}

export function createTroubles(before: readonly Trouble[]): Troubles {
  const since = new Map(before.map((one) => [one.of, one.since]));
  return {
    note(of, now) {
      if (!since.has(of)) since.set(of, now);
    },
    over: (of) => void since.delete(of),
    lasts(of, now) {
      const at = since.get(of);
      return at === undefined ? null : seconds(Math.max(0, now - at));
    },
    all: () => [...since].map(([of, at]) => ({ of, since: at })),
  };
}

/** By the chain's clock; one that does not answer now is asked by the next run. */
export async function noteNow(of: string, troubles: Troubles, { bitcoin }: Pick<Ports, 'bitcoin'>): Promise<void> {
  const tip = await ifKnown(async () => (await bitcoin?.tip()) ?? null);
  if (tip !== null) troubles.note(of, tip.mtp);
}
