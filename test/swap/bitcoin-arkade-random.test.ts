import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { sameOutpoint, type Outpoint } from '../../engine/domain/outpoint.ts';
import { unix, type Clocks } from '../../engine/domain/time.ts';
import type { SeenCoin } from '../../engine/legs/arkade/events.ts';
import { buried } from '../../engine/legs/onchain/depth.ts';
import type { SeenHtlcCoin, SeenHtlcSpend } from '../../engine/legs/onchain/events.ts';
import type { Effect, Event, Watch } from '../../engine/swap/machine.ts';
import { bitcoinArkadeCase, bitcoinArkadeTerms as t } from './bitcoin-arkade-cases.ts';
import { coin, preimage, spentBy, start, startHeight, txid } from './cases.ts';
import { diceOf, endings, type Games, gamesLimit } from './dice.ts';
import { drive } from './driver.ts';

/*
 * An honest operator and an honest Bitcoin chain, which answer late, twice or not at all; the chain loses blocks that
 * are not buried, and its mempool forgets what waits. The client pays what it likes, replaces it, claims through every
 * door, and takes every refund it can get.
 */

/** A coin of the client's, and what takes it: in a mempool while its height is null. */
interface Paid {
  readonly outpoint: Outpoint;
  readonly amount: bigint;
  height: number | null;
  spend: { readonly id: string; readonly by: 'claim' | 'refund'; height: number | null } | null;
  evicted: boolean;
  /** Another payment of the client's spends the same coin: it never comes again. */
  replaced: boolean;
}

interface LockTx {
  readonly id: string;
  state: 'prepared' | 'accepted' | 'final';
}

const games: Games = { runs: 6_000, throws: [40, 300], seed: 20_262 };

function play(numbers: readonly number[]): string {
  const { roll, left, unlucky } = diceOf(numbers);

  const rumours: Event[] = [];
  let wall: number = start;
  let height = startHeight;
  let claims = 0;
  let learned = false;
  const paid: Paid[] = [];
  const locks: LockTx[] = [];
  let target = 'none' as 'none' | 'locked' | 'claimed' | 'refunded';
  let refund: 'none' | 'accepted' = 'none';
  /** The client's claim waits in the operator's queue, and the secret is to be seen there. */
  let queued = false;
  /** The client had its bitcoin back alone while we could not have had it before. */
  let lostToLocktime = false;
  const signed = new Map<string, Outpoint>();

  const now = (): Clocks => ({ wall: unix(wall), bitcoin: { mtp: unix(wall - 1_800), height } });
  const mtp = (): number => wall - 1_800;
  const swap = drive(bitcoinArkadeCase.machine, t, bitcoinArkadeCase.first, [], (from, step) => {
    if (step.learned !== undefined) learned = true;
    const claiming = from.at === 'claiming' || from.at === 'claimed';
    const backing = step.effects.filter(({ do: what }) => what === 'vhtlc.lock' || what === 'vhtlc.refund');
    if (claiming && backing.length > 0 && !('racing' in from)) return 'a claiming swap acts on its VHTLC';
    return null;
  });

  function hear(event: Event): void {
    const before = swap.progress.at;
    swap.deliver(event, now());
    const { progress: to } = swap;
    if (to.at !== before && (to.at === 'claimed' || to.at === 'lost')) {
      const taking = isPaid(to.coin)?.spend;
      if (taking === null || taking === undefined || !buried(taking.height, height))
        swap.fail(`it is ${to.at} although nothing that takes the coin is buried`);
    }
    if (to.at !== 'funded' || before === 'funded' || before === 'locking' || event.is !== 'htlc.seen') return;
    const own = event.coins.find(({ outpoint }) => sameOutpoint(outpoint, to.coin));
    if (own === undefined || own.height === null || own.spend !== null || own.amount < t.sourceAmount)
      swap.fail('a VHTLC is made for a coin that is not there, in a block and whole');
  }

  const theLock = () => locks.find((lock) => lock.state !== 'prepared');

  function lockCoins(): SeenCoin[] {
    const lock = theLock();
    if (lock?.state !== 'final') return [];
    const outpoint: Outpoint = { txid: lock.id, vout: 0 };
    if (target === 'claimed') return [coin({ outpoint, ...spentBy.clientClaim })];
    if (target === 'refunded' || refund === 'accepted')
      return [
        coin({
          outpoint,
          spent: true,
          spentIn: txid.refund,
          spentBy: txid.refund,
          spend: { leaf: 'refund-without-receiver' },
        }),
      ];
    return [coin({ outpoint, ...(queued ? spentBy.queuedClaim : {}) })];
  }

  function bitcoins(): SeenHtlcCoin[] {
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
                ...(spend.by === 'claim' ? { by: 'claim', preimage, bytes: new Uint8Array(1) } : { by: 'refund' }),
              } as SeenHtlcSpend),
      }));
  }

  function lookOf(watch: Watch): Event {
    switch (watch.on) {
      case 'htlc':
        return { is: 'htlc.seen', coins: bitcoins(), height, mtp: unix(mtp()), asked: unix(wall) };
      case 'vhtlc':
      case 'queue':
        return { is: 'vhtlc.seen', coins: lockCoins() };
      default:
        return swap.fail(`nobody keeps the watch ${watch.on}`);
    }
  }

  const isPaid = (point: Outpoint): Paid | undefined =>
    paid.find(({ outpoint, evicted }) => sameOutpoint(outpoint, point) && !evicted);

  function submitLock(effect: Effect & { do: 'vhtlc.submit' }): Event | null {
    const sent = locks.find(({ id }) => id === effect.txid);
    if (sent !== undefined)
      return sent.state === 'final'
        ? { is: 'vhtlc.final', purpose: 'lock', txid: effect.txid }
        : { is: 'vhtlc.accepted', purpose: 'lock', txid: effect.txid };
    const funded = effect.onlyIf?.funded;
    if (funded === undefined) return swap.fail('a VHTLC without the coin that it is for');
    if (mtp() > (effect.onlyIf?.notAfter ?? 0))
      return { is: 'vhtlc.refused', purpose: 'lock', txid: effect.txid, why: 'late', reason: 'late' };
    const source = isPaid(funded.outpoint);
    if (source === undefined || source.height === null || source.spend !== null) return null; // judged again later
    if (unlucky())
      return {
        is: 'vhtlc.refused',
        purpose: 'lock',
        txid: effect.txid,
        why: roll(2) === 0 ? 'spent' : 'refused',
        reason: 'no',
      };
    if (theLock() !== undefined) swap.fail('a second lock was sent while the first exists');
    if (source.amount < t.sourceAmount) swap.fail('a VHTLC is locked for a coin that is short');
    locks.push({ id: effect.txid, state: 'accepted' });
    return { is: 'vhtlc.accepted', purpose: 'lock', txid: effect.txid };
  }

  function submitRefund(id: string): Event | null {
    if (target === 'claimed')
      return { is: 'vhtlc.refused', purpose: 'refund', txid: id, why: 'spent', reason: 'spent' };
    if (refund === 'none' && unlucky())
      return { is: 'vhtlc.refused', purpose: 'refund', txid: id, why: 'refused', reason: 'busy' };
    refund = 'accepted';
    return { is: 'vhtlc.accepted', purpose: 'refund', txid: id };
  }

  /** Signs a claim; one of a coin that is not to be had waits. */
  function spend(effect: Effect & { do: 'htlc.spend' }): Event | null {
    if (!learned) swap.fail('the bitcoin is claimed with a secret that was not saved');
    if (target === 'refunded') swap.fail('the bitcoin is claimed after our refund of the VHTLC');
    const source = isPaid(effect.coin);
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
    const source = point === undefined ? undefined : isPaid(point);
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

  function act(effect: Effect): Event | null {
    switch (effect.do) {
      case 'vhtlc.lock': {
        const id = `${locks.length}`.padStart(64, '0');
        return { is: 'vhtlc.prepared', purpose: 'lock', txid: id, output: { txid: id, vout: 0 } };
      }
      case 'vhtlc.refund':
        if (target === 'claimed')
          return { is: 'vhtlc.refused', purpose: 'refund', txid: null, why: 'spent', reason: 'spent' };
        if (mtp() <= t.vhtlc.refundLocktime) return null;
        return { is: 'vhtlc.prepared', purpose: 'refund', txid: txid.refund, output: { txid: txid.refund, vout: 0 } };
      case 'vhtlc.submit':
        return effect.purpose === 'lock' ? submitLock(effect) : submitRefund(effect.txid);
      case 'vhtlc.finalize':
        if (effect.purpose === 'lock') {
          const lock = locks.find(({ id }) => id === effect.txid);
          if (lock === undefined) return swap.fail('a lock that was never accepted is finalized');
          lock.state = 'final';
          if (target === 'none') target = 'locked';
        } else if (refund === 'accepted' && target === 'locked') target = 'refunded';
        return { is: 'vhtlc.final', purpose: effect.purpose, txid: effect.txid };
      case 'htlc.spend':
        return spend(effect);
      case 'onchain.broadcast':
        return keep(effect.txid);
      default:
        return swap.fail(`nobody asked for ${effect.do}`);
    }
  }

  function work(answerArrives: boolean): void {
    const effect = swap.next(roll);
    if (effect === undefined) return;
    const answer = act(effect);
    // A lost answer, or a node that died before its commit: the effect is still owed.
    if (answer !== null && answerArrives) swap.deliver(answer, now(), effect);
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

  /**
   * Policy takes a coin at one confirmation: one that never comes again behind our VHTLC is not the machine's to save.
   */
  function isPromised(point: Outpoint): boolean {
    return locks.length > 0 && 'coin' in swap.progress && sameOutpoint(swap.progress.coin, point);
  }

  function clientClaims(): void {
    if (target !== 'locked' || refund === 'accepted') return;
    if (roll(3) > 0) queued = !queued;
    else target = 'claimed';
  }

  function clientRefunds(): void {
    if (mtp() <= t.htlc.refundLocktime) return;
    for (const one of paid)
      if (!one.evicted && one.height !== null && one.spend === null) {
        lostToLocktime = true;
        one.spend = { id: `d${one.outpoint.txid}`.slice(0, 64), by: 'refund', height: null };
      }
  }

  /** Everything that could be told now; some of it is heard late, twice or never. */
  function look(): void {
    rumours.push(...swap.watches.map(lookOf));
  }

  function pass(seconds: number): void {
    wall += seconds;
    height += Math.floor(seconds / 600);
  }

  while (left()) {
    switch (roll(13)) {
      case 0:
        pass([1, 60, 600, 1_800, 7_200, 50_000][roll(6)] ?? 1);
        break;
      case 1:
        if (roll(2) === 0) pay();
        break;
      case 2:
        look();
        break;
      case 3:
        swap.deliver({ is: 'clock' }, now());
        break;
      case 4:
        if (roll(3) > 0) clientClaims();
        break;
      case 5:
        if (roll(2) === 0) clientRefunds();
        break;
      case 6: {
        const event = rumours.at(-1 - roll(Math.min(6, Math.max(1, rumours.length))));
        if (event !== undefined) hear(event);
        break;
      }
      case 7:
        mine();
        break;
      case 8:
        if (roll(3) === 0) reorganise();
        else if (roll(3) === 0) evict();
        break;
      case 9:
      case 10:
        for (const event of swap.watches.map(lookOf)) hear(event);
        break;
      default:
        work(roll(4) > 0);
    }
  }
  for (let i = 0; i < 90 && swap.open(); i++) {
    pass(i > 20 ? 7_200 : 60);
    work(true);
    for (const one of paid) one.evicted = one.replaced;
    mine();
    for (const event of swap.watches.map(lookOf)) hear(event);
    swap.deliver({ is: 'clock' }, now());
    if (i > 50) clientRefunds();
    // A claim that waits in the queue is done in the end, unless our refund took the coin.
    if (i > 60 && queued && target === 'locked' && refund === 'none' && swap.progress.at === 'claimed')
      target = 'claimed';
  }
  if (swap.open()) swap.fail(`the swap never ended, it is ${swap.progress.at}`);
  const ours = paid.filter(({ spend: taking }) => taking?.by === 'claim');
  if (ours.length > 1) swap.fail('more than one coin of the client was claimed');
  // A claim that waited in the queue when we believed it is the client's to make, whenever it likes.
  if (ours.length === 1 && target === 'locked' && refund === 'none') target = 'claimed';
  // Where nobody said in time whose the VHTLC was, the debt is written down for a person.
  const isOwed = 'bothLegs' in swap.progress && swap.progress.bothLegs === true;
  if (ours.length === 1 && target === 'refunded' && !isOwed) swap.fail('both legs are ours');
  if (ours.length === 0 && target === 'claimed' && !lostToLocktime) swap.fail('the client has both legs');
  if (target === 'locked') swap.fail('our VHTLC is left lying');
  return swap.progress.at;
}

test('bitcoin to arkade: no run ends with both legs in one hand, and every ending is reached', gamesLimit, () => {
  expect(endings(play, games)).toEqual(['claimed', 'lapsed', 'lost', 'refunded', 'returned', 'stopped']);
});
