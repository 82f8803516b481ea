import { takerDirections, wireDirections } from '../../domain/chain.ts';
import { beginningAbove, keyIndices, lastBeginning } from '../../domain/key-index.ts';
import { slices } from '../../runtime/slices.ts';
import { takenDirections } from '../../taker/directions.ts';
import type { ProviderPort } from '../../taker/port.ts';
import type { OwnKeys } from './own-keys.ts';

/** Questions to one provider, however it answers. */
const mostQuestions = 100;
/** Of them, one after the other from one place on. */
const mostInARow = 50;
/** Records of one answer that are looked at for keys of ours. */
const mostJudged = 2_000;

/**
 * Every record that a provider has of our keys: from `from` on as far as it says that there are more, then at the
 * places where the words may have begun again (`beginningPast`), ten beyond the highest key that was proven. A provider
 * that looks there by itself is asked in vain, for nothing tells which does. Returns whether it came to its end.
 */
export async function* knownSwaps(
  port: Pick<ProviderPort, 'recover'>,
  options: {
    readonly from: number;
    /** The highest key that is known to be used, as it is now. */
    readonly proven: () => number | null;
    /** Between two questions. */
    readonly pause: () => Promise<unknown>;
  },
): AsyncGenerator<readonly unknown[], 'done' | 'cut'> {
  let start = options.from;
  let outcome: 'done' | 'cut' = 'done';
  let inARow = 0;
  for (let question = 0; question < mostQuestions; question++) {
    if (question > 0) await options.pause();
    const page = await port.recover(start);
    // It answers no such question at all.
    if (page === null) return outcome;
    yield page.swaps;
    inARow += 1;
    const next = page.scannedUntil + 1;
    if (!page.complete && next > start && next < keyIndices && inARow < mostInARow) {
      start = next;
      continue;
    }
    if (!page.complete) outcome = 'cut';
    start = beginningAbove(start);
    if (start > lastBeginning(options.proven())) return outcome;
    inARow = 0;
  }
  return 'cut';
}

/**
 * The highest index of ours that these records prove to be used; null for none. Only a key does that, or the hash of a
 * secret, which nobody can derive but from the words, and which its provider has therefore been shown: neither a user
 * id, which follows from what a recovery is asked with, nor an account, which all indices share. Believed too easily it
 * puts keys out of reach; not believed, a key and its secret are used twice (facts/faults.md 73, 71, 237).
 */
export async function provenBy(own: OwnKeys, records: readonly unknown[]): Promise<number | null> {
  const pause = slices();
  let highest: number | null = null;
  for (const record of records.slice(0, mostJudged)) {
    await pause();
    if (typeof record !== 'object' || record === null) continue;
    const fields = record as Readonly<Record<string, unknown>>;
    const direction = takerDirections.find((name) => wireDirections[name] === fields['direction']);
    if (direction === undefined) continue;
    const { ours } = takenDirections[direction].restorable;
    if (ours === 'client_evm_address') continue;
    const index = await own.ofRecord(ours, fields);
    if (index !== null) highest = Math.max(highest ?? 0, index);
  }
  return highest;
}
