import { expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import type { SeenHtlcCoin } from '../../engine/legs/onchain/events.ts';
import { closeOther, isClosed } from '../../engine/runtime/networks/onchain/fence.ts';
import { createPartialNotes } from '../../engine/store/partial-notes.ts';
import { createSealer } from '../../engine/store/sealer.ts';
import { evmBitcoin, type EvmBitcoinProgress } from '../../engine/swap/directions/evm-bitcoin.ts';
import type { Effect, Event } from '../../engine/swap/machine.ts';
import { preimage, start } from './cases.ts';
import { jointTerms, lockedCoin, overdueAt } from './cosign-cases.ts';
import { diceOf, endings, gamesLimit, type Games } from './dice.ts';
import {
  bitcoinTx,
  claimedBy,
  clocksOf,
  evmBitcoinTerms,
  height,
  lookAtHtlc,
  output,
  refundedBy,
  seenCoin,
} from './evm-bitcoin-cases.ts';
import { lookAt, refunded, seenLock } from './evm-lightning-cases.ts';

/*
 * A client that asks for our signature whenever it likes, chains that show whatever could be true, a process that dies
 * between any two acts, and a database that is put back to any earlier moment of its life. What is noted outside of it
 * stays. Whatever comes of it, no coin of ours has both our partial signature for its claim and a refund of ours.
 */

const games: Games = { runs: 3_000, throws: [10, 120], seed: 71_327 };
const t = jointTerms(evmBitcoinTerms);
const sealer = createSealer(new Uint8Array(32).fill(4));
const locktime = evmBitcoinTerms.htlc.refundLocktime;

/** What a commit has made durable. */
interface Database {
  readonly p: EvmBitcoinProgress;
  readonly owed: readonly Effect[];
  /** The secret is saved. */
  readonly knows: boolean;
}

function play(numbers: readonly number[]): string {
  const { roll, left } = diceOf(numbers);
  const notes = createPartialNotes({ path: null, sealer });
  let db: Database = { p: lockedCoin, owed: [], knows: false };
  const copies: Database[] = [db];
  let mtp: number = start;
  let isGiven = false;
  let isRefunded = false;

  const now = () => (mtp > locktime ? overdueAt(mtp + 1_800, mtp) : clocksOf(mtp + 1_800, mtp));
  function deliver(event: Event): boolean {
    const outcome = evmBitcoin.step(t, db.p, event, now());
    if (outcome === 'stay') return false;
    const drops = [...(outcome.supersedes ?? []), ...(outcome.interrupts ?? [])].includes('bitcoin');
    const bitcoinsOwn = (effect: Effect): boolean => effect.do === 'htlc.spend' || effect.do === 'onchain.broadcast';
    db = {
      p: outcome.progress,
      owed: [...(drops ? db.owed.filter((effect) => !bitcoinsOwn(effect)) : db.owed), ...outcome.effects],
      knows: db.knows || outcome.learned !== undefined,
    };
    copies.push(db);
    return true;
  }
  /** What counts as given is told to every copy before it acts. */
  function begin(): void {
    for (const { own, purpose, coin, txid, bytes, preimage: secret } of notes.all())
      if (!own) deliver({ is: 'cosign.given', purpose, coin, txid, bytes, preimage: secret });
  }

  function ask(): void {
    const request = { purpose: 'claim', coin: output, preimage } as const;
    const byte = roll(3);
    if (isClosed(notes, output, 'claim')) return;
    if (evmBitcoin.step(t, db.p, { is: 'cosign.asked', ...request }, now()) === 'stay') return;
    const spend = { txid: bitcoinTx.claim, bytes: new Uint8Array(90).fill(byte) };
    const sighash = new Uint8Array(32).fill(byte + 1);
    void notes.note({ ...request, ...spend, subject: 'swap', own: false, sighash, outputs: sighash });
    if (roll(4) === 0) return begin(); // died before the commit
    deliver({ is: 'cosign.given', ...request, ...spend });
    if (roll(4) === 0) return begin(); // died before the answer
    isGiven = true;
    expect(db.knows, 'the secret is saved before the answer').toBe(true);
  }

  function work(): void {
    const effect = db.owed.find((one) => one.do === 'htlc.spend');
    if (effect?.do !== 'htlc.spend' || mtp <= locktime) return;
    if (isClosed(notes, effect.coin, effect.purpose)) return;
    closeOther({ subject: 'swap', coin: effect.coin, purpose: effect.purpose }, notes);
    isRefunded = true;
    if (roll(4) === 0) return begin(); // died before it was saved
    db = { ...db, owed: db.owed.filter((one) => one !== effect) };
    deliver({
      is: 'onchain.prepared',
      leg: 'bitcoin',
      purpose: 'refund',
      txid: bitcoinTx.refund,
      amount: t.targetAmount,
      rate: 2,
      capped: false,
      height,
    });
  }

  const deep = () => [null, height + 1, height][roll(3)] ?? null;
  const looks: readonly (() => SeenHtlcCoin[])[] = [
    () => [seenCoin()],
    () => [],
    () => (db.knows ? [seenCoin({ spend: claimedBy(deep()) })] : [seenCoin()]),
    () => (isRefunded ? [seenCoin({ spend: refundedBy(deep()) })] : [seenCoin()]),
    () => {
      const spend = { txid: bitcoinTx.claim, height: deep(), by: 'key', bytes: new Uint8Array(9) } as const;
      return isGiven ? [seenCoin({ spend: { ...spend, purpose: 'claim' } })] : [seenCoin()];
    },
  ];
  const acts: readonly (() => void)[] = [
    ask,
    ask,
    work,
    work,
    () => void deliver({ is: 'clock' }),
    () => (mtp += [600, 7_200, 60_000][roll(3)] ?? 0),
    () => (mtp = Math.max(mtp, locktime + 1)),
    () => void deliver(lookAtHtlc(...(looks[roll(looks.length)] ?? (() => []))())),
    () => void deliver(lookAt([seenLock()])),
    () => void deliver(lookAt([seenLock({}, { state: refunded(200) })])),
    () => {
      db = copies[roll(copies.length)] ?? db; // an older copy takes its place
      begin();
    },
  ];
  while (left()) {
    acts[roll(acts.length)]?.();
    if (isGiven && isRefunded) throw new Error(`our signature for the claim and a refund of ours, at ${db.p.at}`);
  }
  return `${db.p.at}${isGiven ? ' given' : ''}${isRefunded ? ' taken back' : ''}`;
}

test(
  'no requests, deaths and restores bring both our signature on a claim and a refund of ours',
  () => {
    const ends = endings(play, games);
    expect(ends).toEqual(expect.arrayContaining(['claiming given', 'lost given', 'refunding taken back']));
    expect(ends.filter((end) => end.includes('given') && end.includes('taken back'))).toEqual([]);
    expect(unix(start)).toBeLessThan(locktime);
  },
  gamesLimit.timeout,
);
