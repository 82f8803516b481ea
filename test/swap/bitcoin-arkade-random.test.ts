import { expect, test } from 'vitest';
import { sameOutpoint, type Outpoint } from '../../engine/domain/outpoint.ts';
import { unix, type Clocks } from '../../engine/domain/time.ts';
import type { SeenCoin } from '../../engine/legs/arkade/events.ts';
import type { Effect, Event, Watch } from '../../engine/swap/machine.ts';
import { bitcoinArkadeCase, bitcoinArkadeTerms as t } from './bitcoin-arkade-cases.ts';
import { coin, spentBy, start, txid } from './cases.ts';
import { diceOf, endings, type Games, gamesLimit } from './dice.ts';
import { drive } from './driver.ts';
import { theirCoinsIn } from './their-coins-world.ts';

/*
 * An honest operator beside the chain of the client's coin, which answers late, twice or not at all. The client claims
 * through every door.
 */

interface LockTx {
  readonly id: string;
  state: 'prepared' | 'accepted' | 'final';
}

const games: Games = { runs: 6_000, throws: [40, 300], seed: 20_262 };

function play(numbers: readonly number[]): string {
  const dice = diceOf(numbers);
  const { roll, left, unlucky } = dice;

  const rumours: Event[] = [];
  let wall: number = start;
  let learned = false;
  const locks: LockTx[] = [];
  let target = 'none' as 'none' | 'locked' | 'claimed' | 'refunded';
  let refund: 'none' | 'accepted' = 'none';
  /** The client's claim waits in the operator's queue, and the secret is to be seen there. */
  let queued = false;

  const now = (): Clocks => ({ wall: unix(wall), bitcoin: { mtp: unix(wall - 1_800), height: bitcoin.height() } });
  const mtp = (): number => wall - 1_800;
  const swap = drive(bitcoinArkadeCase.machine, t, bitcoinArkadeCase.first, [], (from, step) => {
    if (step.learned !== undefined) learned = true;
    const claiming = from.at === 'claiming' || from.at === 'claimed';
    const backing = step.effects.filter(({ do: what }) => what === 'vhtlc.lock' || what === 'vhtlc.refund');
    if (claiming && backing.length > 0 && !('racing' in from)) return 'a claiming swap acts on its VHTLC';
    return null;
  });

  const bitcoin = theirCoinsIn({
    terms: t,
    dice,
    wall: () => wall,
    fail: swap.fail,
    mayClaim() {
      if (!learned) return 'the bitcoin is claimed with a secret that was not saved';
      return target === 'refunded' ? 'the bitcoin is claimed after our refund of the VHTLC' : null;
    },
    isPromised: (point) => locks.length > 0 && 'coin' in swap.progress && sameOutpoint(swap.progress.coin, point),
  });

  function hear(event: Event): void {
    const before = swap.progress.at;
    swap.deliver(event, now());
    const { progress: to } = swap;
    if (to.at !== before && (to.at === 'claimed' || to.at === 'lost') && !bitcoin.isOver(to.coin))
      swap.fail(`it is ${to.at} although nothing that takes the coin is buried`);
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

  function lookOf(watch: Watch): Event {
    switch (watch.on) {
      case 'htlc':
        return bitcoin.look();
      case 'vhtlc':
      case 'queue':
        return { is: 'vhtlc.seen', coins: lockCoins() };
      default:
        return swap.fail(`nobody keeps the watch ${watch.on}`);
    }
  }

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
    const source = bitcoin.coinAt(funded.outpoint);
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
        return bitcoin.spend(effect);
      case 'onchain.broadcast':
        return bitcoin.keep(effect.txid);
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

  function clientClaims(): void {
    if (target !== 'locked' || refund === 'accepted') return;
    if (roll(3) > 0) queued = !queued;
    else target = 'claimed';
  }

  /** Everything that could be told now; some of it is heard late, twice or never. */
  function look(): void {
    rumours.push(...swap.watches.map(lookOf));
  }

  function pass(seconds: number): void {
    wall += seconds;
    bitcoin.pass(seconds);
  }

  while (left()) {
    switch (roll(13)) {
      case 0:
        pass([1, 60, 600, 1_800, 7_200, 50_000][roll(6)] ?? 1);
        break;
      case 1:
        if (roll(2) === 0) bitcoin.pay();
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
        if (roll(2) === 0) bitcoin.clientRefunds();
        break;
      case 6: {
        const event = rumours.at(-1 - roll(Math.min(6, Math.max(1, rumours.length))));
        if (event !== undefined) hear(event);
        break;
      }
      case 7:
        bitcoin.mine();
        break;
      case 8:
        if (roll(3) === 0) bitcoin.reorganise();
        else if (roll(3) === 0) bitcoin.evict();
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
    bitcoin.calm();
    bitcoin.mine();
    for (const event of swap.watches.map(lookOf)) hear(event);
    swap.deliver({ is: 'clock' }, now());
    if (i > 50) bitcoin.clientRefunds();
    // A claim that was believed is the client's to make, waits it in the queue still or not, unless our refund took the
    // coin.
    if (i > 60 && target === 'locked' && refund === 'none' && swap.progress.at === 'claimed') target = 'claimed';
  }
  if (swap.open()) swap.fail(`the swap never ended, it is ${swap.progress.at}`);
  const ours = bitcoin.claimed();
  if (ours > 1) swap.fail('more than one coin of the client was claimed');
  // A claim that waited in the queue when we believed it is the client's to make, whenever it likes.
  if (ours === 1 && target === 'locked' && refund === 'none') target = 'claimed';
  // Where nobody said in time whose the VHTLC was, the debt is written down for a person.
  const isOwed = 'bothLegs' in swap.progress && swap.progress.bothLegs === true;
  if (ours === 1 && target === 'refunded' && !isOwed) swap.fail('both legs are ours');
  if (ours === 0 && target === 'claimed' && !bitcoin.lostToLocktime()) swap.fail('the client has both legs');
  if (target === 'locked') swap.fail('our VHTLC is left lying');
  return swap.progress.at;
}

test('bitcoin to arkade: no run ends with both legs in one hand, and every ending is reached', gamesLimit, () => {
  expect(endings(play, games)).toEqual(['claimed', 'lapsed', 'lost', 'refunded', 'returned', 'stopped']);
});
