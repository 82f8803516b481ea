import type { Sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import type { Doubt } from '../../store/restored.ts';

/** What was sent from the Arkade wallet in a transaction that the database does not know. */
export interface Sent {
  readonly txid: Txid;
  readonly script: Uint8Array;
  readonly amount: Sats;
}

/**
 * What became of it: `waiting` is not taken yet, `settled` was claimed and its payment is ours, `gone` was taken
 * otherwise.
 */
export type Fate = 'waiting' | 'settled' | 'gone';

export interface Task {
  /**
   * Median time past when the networks were first compared with it: the wall of a machine that was set up anew may be
   * anything.
   */
  readonly chainSince?: Unix;
  readonly copiedAt: number | null;
  /** There is no database of before at all, only its seed. */
  readonly empty?: true;
  /** What showed that it is old, where that was not its folder. */
  readonly by?: Doubt;
  /** Scripts of the swaps that it does know, as hex: their locks are found by themselves. */
  readonly scripts: readonly string[];
  /** Of those that nothing was given for by then: their locks are theirs once the swap has found them. */
  readonly ungiven?: readonly { readonly id: string; readonly script: string }[];
}

/** Whether a pause is one of these: its sentence names payments of the wallet, and is the owner's alone. */
export function isComparison(reason: string): boolean {
  return [opening, openingEmpty, ...Object.values(openingBy)].some((beginning) => reason.startsWith(beginning));
}

const opening = 'The database is older than this data folder: it was restored from a backup';

const openingEmpty = 'This database begins empty, and its seed was used before';

const openingBy: Readonly<Record<Doubt['is'], string>> = {
  outside:
    'This data folder is older than its outside mark: it was rolled back as a whole, by a disk image or a ' +
    'snapshot, or a copy of it, or another folder with its words, runs elsewhere',
  networks:
    'The networks show acts that this data folder lacks: it was rolled back, or its words are used in a second place',
  keys:
    'A provider knows a key that this data folder has not used yet: it was rolled back, or its words are used in ' +
    'a second place',
};

/** Null before the networks were asked. */
export function sentenceOf(
  { copiedAt, empty, by }: Task,
  unknownSends: readonly { one: Sent; fate: Fate }[] | null,
): string {
  const from =
    by !== undefined
      ? `${openingBy[by.is]}${'shown' in by ? ` (${by.shown})` : ''}`
      : empty === true
        ? openingEmpty
        : copiedAt === null
          ? opening
          : `${opening} of ${new Date(copiedAt * 1_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  if (unknownSends === null)
    return `${from}. It is being compared with the networks: resume once that has told what was found.`;
  if (unknownSends.length === 0)
    return (
      `${from}. Every Arkade payment is in its records: compare the Lightning payments since then ` +
      'with the list of swaps, then resume.'
    );
  const facts = unknownSends
    .map(({ one: { txid, amount }, fate }) => `${amount} sats in transaction ${txid}, ${fates[fate]}`)
    .join('; ');
  return (
    `${from}. Its records lack these Arkade payments: ${facts}. Compare these and the Lightning payments ` +
    'since then with what you know, then resume.'
  );
}

const fates: Readonly<Record<Fate, string>> = {
  waiting: 'not taken yet (if it is the lock of a swap, its payment is settled once the client claims it)',
  settled: 'claimed by a client and its payment settled',
  gone: 'taken, and no payment is held for it',
};
