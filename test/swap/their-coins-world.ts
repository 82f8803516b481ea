import { sats } from '../../engine/domain/money.ts';
import { sameOutpoint, type Outpoint } from '../../engine/domain/outpoint.ts';
import { isHeight, unix } from '../../engine/domain/time.ts';
import { buried } from '../../engine/legs/onchain/depth.ts';
import type { SeenHtlcCoin, SeenHtlcSpend } from '../../engine/legs/onchain/events.ts';
import { locktimeOf } from '../../engine/legs/onchain/locktime.ts';
import type { OnchainSourceTerms } from '../../engine/swap/halves/bitcoin/claim/terms.ts';
import type { Effect, Event } from '../../engine/swap/machine.ts';
import { preimage, startHeight } from './cases.ts';
import type { diceOf } from './dice.ts';

/*
 * An honest Bitcoin chain with an HTLC that the client pays: it answers late, twice or not at all, loses blocks that
 * are not buried, and its mempool forgets what waits. The client pays what it likes, replaces it, and takes every
 * refund it can get.
 */

/** A coin of the client's, and what takes it: in a mempool while its height is null. */
interface Paid {
  readonly outpoint: Outpoint;
  readonly amount: bigint;
  height: number | null;
  spend: { readonly id: string; readonly by: 'claim' | 'refund' | 'together'; height: number | null } | null;
  evicted: boolean;
  /** Another payment of the client's spends the same coin: it never comes again. */
  replaced: boolean;
}

/** What its bytes show; by the key of both, as our note of it says. */
const shownBy = {
  claim: { by: 'claim', preimage, bytes: new Uint8Array(1) },
  refund: { by: 'refund' },
  together: { by: 'key', purpose: 'refund', bytes: new Uint8Array(1) },
} as const;

/**
 * `mayClaim`: why none of its coins may be claimed now, null while they may. `isPromised`: policy takes a coin at one
 * confirmation, so that one which never comes again behind what we gave for it is not the machine's to save.
 */
export function theirCoinsIn(of: {
  readonly terms: Pick<OnchainSourceTerms, 'sourceAmount' | 'htlc'>;
  readonly dice: ReturnType<typeof diceOf>;
  readonly wall: () => number;
  fail(sentence: string): never;
  mayClaim(): string | null;
  isPromised(point: Outpoint): boolean;
}) {
  const { terms: t, wall, fail, mayClaim, isPromised } = of;
  const { roll, unlucky } = of.dice;
  let height = startHeight;
  let claims = 0;
  /** The client had its bitcoin back alone while we could not have had it before. */
  let lostToLocktime = false;
  const paid: Paid[] = [];
  const signed = new Map<string, Outpoint>();

  const mtp = (): number => wall() - 1_800;
  const coinAt = (point: Outpoint): Paid | undefined =>
    paid.find(({ outpoint, evicted }) => sameOutpoint(outpoint, point) && !evicted);

  function coins(): SeenHtlcCoin[] {
    return paid
      .filter(({ evicted }) => !evicted)
      .map(({ outpoint, amount, height: mined, spend }) => ({
        outpoint,
        amount: sats(amount),
        height: mined,
        spend:
          spend === null
            ? null
            : ({
                txid: spend.id,
                height: spend.height,
                ...shownBy[spend.by],
              } as SeenHtlcSpend),
      }));
  }

  function look(): Event {
    return { is: 'htlc.seen', coins: coins(), height, mtp: unix(mtp()), asked: unix(wall()) };
  }

  /** Signs a claim; one of a coin that is not to be had waits. */
  function spend(effect: Effect & { do: 'htlc.spend' }): Event | null {
    const wrong = mayClaim();
    if (wrong !== null) return fail(wrong);
    const source = coinAt(effect.coin);
    if (source === undefined) return null;
    if (source.spend?.by === 'refund' && buried(source.spend.height, height)) return null;
    const id = `c${claims++}`.padStart(64, '0');
    signed.set(id, effect.coin);
    return {
      is: 'onchain.prepared',
      leg: 'bitcoin',
      purpose: 'claim',
      txid: id,
      amount: sats(source.amount),
      rate: 2,
      capped: false,
      height,
    };
  }

  /** Keeps our claim in the mempool: it replaces what pays less there, and a block decides. */
  function keep(id: string): Event | null {
    const point = signed.get(id);
    const source = point === undefined ? undefined : coinAt(point);
    if (source === undefined) return null;
    if (source.spend === null || (source.spend.height === null && source.spend.id !== id && roll(2) === 0)) {
      if (unlucky()) return { is: 'onchain.refused', leg: 'bitcoin', txid: id, why: 'refused', reason: 'busy' };
      source.spend = { id, by: 'claim', height: null };
      return null;
    }
    const { spend: taking } = source;
    if (!buried(taking.height, height))
      return taking.height === null && unlucky()
        ? { is: 'onchain.stuck', leg: 'bitcoin', txid: id, leastRate: 3 }
        : null;
    return taking.by === 'claim'
      ? { is: 'onchain.final', leg: 'bitcoin', txid: taking.id, fee: sats(300) }
      : { is: 'onchain.refused', leg: 'bitcoin', txid: id, why: 'spent', reason: 'spent' };
  }

  function pay(): void {
    const amount =
      [t.sourceAmount, t.sourceAmount, t.sourceAmount + 1_008n, t.sourceAmount - 1n, 1_000n][roll(5)] ?? 1n;
    if (paid.length < 4)
      paid.push({
        outpoint: { txid: `${paid.length}`.padStart(64, 'f'), vout: 0 },
        amount,
        height: null,
        spend: null,
        evicted: false,
        replaced: false,
      });
  }

  /**
   * A payment in the mempool is replaced, by another to the same address or to elsewhere, or forgotten and sent again.
   */
  function evict(): void {
    const waiting = paid.find(({ height: mined, replaced }) => mined === null && !replaced);
    if (waiting !== undefined) {
      waiting.replaced = !isPromised(waiting.outpoint) && roll(3) === 0;
      waiting.evicted = waiting.replaced || !waiting.evicted;
      if (waiting.replaced && roll(2) === 0) pay();
    }
    for (const { spend: taking } of paid) if (taking?.height === null && unlucky()) paidBy(taking.id);
  }

  function paidBy(id: string): void {
    for (const one of paid) if (one.spend?.id === id) one.spend = null;
  }

  function mine(): void {
    height++;
    for (const one of paid) {
      if (one.evicted || unlucky()) continue;
      one.height ??= height;
      if (one.spend?.height === null && one.height <= height && !unlucky()) one.spend.height = height;
    }
  }

  /** Blocks that are not buried go away, and what was in them waits again, or is forgotten. */
  function reorganise(): void {
    const from = height - roll(5);
    for (const one of paid) {
      if (one.spend !== null && one.spend.height !== null && one.spend.height >= from) {
        if (roll(3) === 0) one.spend = null;
        else one.spend.height = null;
      }
      if (one.height !== null && one.height >= from) {
        one.height = null;
        one.spend = null;
        if (roll(4) === 0) one.evicted = true;
      }
    }
  }

  function clientRefunds(): void {
    const locktime = locktimeOf(t.htlc);
    if (isHeight(locktime) ? height < locktime : mtp() <= locktime) return;
    for (const one of paid)
      if (!one.evicted && one.height !== null && one.spend === null) {
        lostToLocktime = true;
        one.spend = { id: `d${one.outpoint.txid}`.slice(0, 64), by: 'refund', height: null };
      }
  }

  /** With our partial signature, at any time: it replaces what waits in the mempool. */
  function takeTogether(point: Outpoint): void {
    const coin = coinAt(point);
    if (coin === undefined || coin.height === null || (coin.spend !== null && coin.spend.height !== null)) return;
    coin.spend = { id: `b${coin.outpoint.txid}`.slice(0, 64), by: 'together', height: null };
  }

  return {
    takeTogether,
    look,
    coinAt,
    spend,
    keep,
    pay,
    evict,
    mine,
    reorganise,
    clientRefunds,
    pass(seconds: number): void {
      height += Math.floor(seconds / 600);
    },
    /** Whatever waits comes again, but for what was replaced. */
    calm(): void {
      for (const one of paid) one.evicted = one.replaced;
    },
    /** A coin that is not there, in a block, whole and unspent. */
    isShort(point: Outpoint): boolean {
      const coin = coinAt(point);
      return coin === undefined || coin.height === null || coin.spend !== null || coin.amount < t.sourceAmount;
    },
    /** What takes it cannot go away any more. */
    isOver(point: Outpoint): boolean {
      const taking = coinAt(point)?.spend ?? null;
      return taking !== null && buried(taking.height, height);
    },
    height: () => height,
    claimed: () => paid.filter(({ spend: taking }) => taking?.by === 'claim').length,
    lostToLocktime: () => lostToLocktime,
  };
}
