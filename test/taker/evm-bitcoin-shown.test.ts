import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import type { SeenLock } from '../../engine/legs/evm/events.ts';
import { burialDepth, revealDepth } from '../../engine/legs/onchain/depth.ts';
import type { SeenHtlcSpend } from '../../engine/legs/onchain/events.ts';
import { claimUntil } from '../../engine/legs/timelocks.ts';
import type { Effect, Event } from '../../engine/swap/machine.ts';
import { clocksAt, preimage, start } from '../swap/cases.ts';
import { leftBy } from '../swap/driver.ts';
import { evmClocksAt, network } from '../swap/evm-lightning-cases.ts';
import { representatives } from '../swap/table.ts';
import { claimed, coinOf, htlc, takeEvmBitcoinCase, takenBack, terms } from './evm-bitcoin-cases.ts';
import { lock, lockOf, tx } from './evm-lightning-cases.ts';
import { noCoin, takeEvmBitcoin as machine, type TakeEvmBitcoinProgress } from './taken.ts';

/*
 * The coin lies there, and our node is up: it looks and acts every ten minutes. The claim is evicted, thrown out of its
 * block, refused, called spent by a source that lies; another life of the node may have sent one first; the provider
 * takes our lock as soon as the secret is out, and its coin as soon as it may.
 */

const hour = 3_600;
const tick = 600;
/** Miners take what lies in a mempool for so many blocks. */
const minedIn = 3;
/** In a world that is not against us: evictions and reorganisations of one claim, and lies of a source. */
const fair = { blows: 2, lies: 3, stalls: false };
/** Miners may leave our claims alone until the provider's refund has opened, which then drives them out. */
const hostile = { blows: Infinity, lies: Infinity, stalls: true };

type Lie = 'blank' | 'unknown' | 'spent' | 'refused' | 'stuck';
const lies: readonly Lie[] = ['blank', 'unknown', 'spent', 'refused', 'stuck'];

function locked(): TakeEvmBitcoinProgress & { at: 'funded' } {
  const first = representatives(takeEvmBitcoinCase).get('funded');
  if (first?.at !== 'funded') throw new Error('nothing is locked');
  return { ...first, takenBy: null, target: noCoin };
}
const first = locked();

function play(numbers: readonly number[], world: typeof fair): string {
  let next = 0;
  const roll = (sides: number): number => (numbers[next++] ?? 0) % sides;
  let left = { ...world };
  let wall: number = start + 2 * hour + roll(45) * tick;
  let progress: TakeEvmBitcoinProgress = first;
  let effects: Effect[] = [];
  let spend = null as SeenHtlcSpend | null;
  let waits = 0;
  let ours = { state: 'active' as SeenLock['state']['is'], since: wall };
  let isOut = false;
  let signed = 0;
  let lie = null as Lie | null;
  const isStalled = world.stalls && roll(2) === 0;
  const isGreedy = roll(3) > 0;
  const accepted = new Set<string>();
  const own = new Set<string>();
  const story: string[] = [];

  const mtp = (): number => wall - 1_800;
  const tip = (): number => clocksAt(wall).bitcoin.height;
  const made = roll(2) === 0 ? coinOf() : coinOf({ height: tip() });
  const depth = (height: number | null): number => (height === null ? 0 : Math.max(0, tip() - height + 1));
  const isBuried = (by: 'claim' | 'refund'): boolean => spend?.by === by && depth(spend.height) >= burialDepth;
  const fail = (sentence: string): never => {
    throw new Error(`${sentence}\n${story.join('\n')}`);
  };

  function hear(event: Event, done?: Effect): void {
    if (done !== undefined) effects = effects.filter((effect) => effect !== done);
    const step = machine.step(terms, progress, event, evmClocksAt(wall));
    story.push(`${wall - start} ${progress.at}: ${event.is} => ${step === 'stay' ? 'stay' : step.progress.at}`);
    if (step === 'stay') return;
    effects = [...leftBy(step, effects), ...step.effects];
    progress = step.progress;
    const refunds = step.effects.some(
      (effect) => effect.do === 'provider.refund-evm' || (effect.do === 'evm.send' && effect.act.is === 'taker-refund'),
    );
    if (refunds && isOut && !isBuried('refund')) fail('our lock is taken back with the secret out');
  }

  function look(): void {
    const confirmations = 1 + Math.floor((wall - ours.since) / 2);
    const state: SeenLock['state'] =
      ours.state === 'redeemed'
        ? { is: 'redeemed', preimage, txid: tx.claim, confirmations }
        : { is: 'refunded', txid: tx.refund, confirmations };
    const locks = [ours.state === 'active' ? lockOf({ confirmations }) : lockOf({ state })];
    hear({ is: 'evm.seen', network, height: 1, time: unix(wall - 2), asked: unix(wall), locks });
    const shown = lie === 'unknown' && spend !== null ? { ...spend, by: 'unknown' as const } : spend;
    const coins = lie === 'blank' ? [] : [{ ...made, spend: shown }];
    hear({ is: 'htlc.seen', coins, height: tip(), mtp: unix(mtp()), asked: unix(wall) });
    hear({ is: 'clock' });
  }

  function broadcast(effect: Effect & { do: 'onchain.broadcast' }): void {
    const { txid, onlyIf } = effect;
    if (spend !== null && depth(spend.height) >= burialDepth) {
      if (own.has(spend.txid))
        return hear({ is: 'onchain.final', leg: 'bitcoin', txid: spend.txid, fee: 1n as never }, effect);
      return hear({ is: 'onchain.refused', leg: 'bitcoin', txid, why: 'spent', reason: 'spent' }, effect);
    }
    if (lie === 'spent')
      return hear({ is: 'onchain.refused', leg: 'bitcoin', txid, why: 'spent', reason: 'spent' }, effect);
    if (spend !== null && spend.height !== null) return;
    if (onlyIf !== undefined && !accepted.has(txid) && spend?.txid !== txid) {
      if (mtp() > onlyIf.notAfter)
        return hear({ is: 'onchain.refused', leg: 'bitcoin', txid, why: 'late', reason: 'late' }, effect);
      if (spend !== null || depth(made.height) < revealDepth) return;
    }
    accepted.add(txid);
    isOut = true;
    if (lie === 'refused')
      return hear({ is: 'onchain.refused', leg: 'bitcoin', txid, why: 'refused', reason: 'no' }, effect);
    if (spend === null) [spend, waits] = [claimed(null, txid), 0];
    if (lie === 'stuck') hear({ is: 'onchain.stuck', leg: 'bitcoin', txid, leastRate: 4 }, effect);
  }

  function run(effect: Effect): void {
    switch (effect.do) {
      case 'provider.refund-evm':
        if (roll(2) === 0) return hear({ is: 'provider.declined', reason: 'no' }, effect);
        return hear({ is: 'provider.relayed', txid: tx.refund }, effect);
      case 'htlc.spend': {
        if (lie === 'spent' || isBuried('refund'))
          return hear(
            { is: 'onchain.refused', leg: 'bitcoin', txid: tx.refund, why: 'spent', reason: 'spent' },
            effect,
          );
        const txid = String((signed += 1)).padStart(64, '5');
        own.add(txid);
        const { amount } = made;
        return hear(
          {
            is: 'onchain.prepared',
            leg: 'bitcoin',
            purpose: 'claim',
            txid,
            amount,
            rate: 2,
            capped: false,
            height: tip(),
          },
          effect,
        );
      }
      case 'onchain.broadcast':
        return broadcast(effect);
      case 'evm.send':
        hear({ is: 'evm.prepared', purpose: 'taker-refund', txid: tx.sent }, effect);
        if (ours.state === 'active' && wall - 2 >= lock.timelock) ours = { state: 'refunded', since: wall };
        return;
      default:
        return fail(`nobody expects ${effect.do}`);
    }
  }

  /** The secret is out: our claim is on its way, or it is over. */
  function judge(): void {
    const done = isBuried('claim') || isBuried('refund');
    const runs = effects.some(({ do: what }) => what === 'htlc.spend' || what === 'onchain.broadcast');
    if (isOut && !done && (progress.at !== 'claiming' || !runs))
      fail(`the claim is given up: it is ${progress.at}, and the coin is there`);
    if (progress.at === 'claimed' && !isBuried('claim')) fail('it is called claimed, and is not');
    if (progress.at === 'lost' && (ours.state !== 'redeemed' || !isBuried('refund'))) fail('it is called lost');
  }

  const blow = (): boolean => left.blows > 0 && (left = { ...left, blows: left.blows - 1 }) !== null;
  const words = ['serverfunded', 'serverwontfund', 'expired'] as const;
  const acts: (() => void)[] = [
    () => undefined,
    () => undefined,
    () => {
      if (spend?.by === 'claim' && spend.height === null && blow()) spend = null;
    },
    () => {
      const isMined = spend !== null && spend.height !== null;
      if (spend !== null && isMined && depth(spend.height) < burialDepth && blow())
        [spend, waits] = [{ ...spend, height: null }, 0];
    },
    () => {
      if (isOut && isGreedy && ours.state === 'active') ours = { state: 'redeemed', since: wall };
    },
    () => {
      const isFree = spend === null || (isStalled && spend.by === 'claim' && spend.height === null);
      if (mtp() > htlc.refundLocktime && isFree) [spend, waits] = [takenBack(null), 0];
    },
    () => {
      // It runs the same code, and so shows the secret in time.
      const isIn = progress.at === 'claiming' || (progress.at === 'funded' && !progress.relayed);
      const mayShow = mtp() <= claimUntil(htlc.refundLocktime, terms.policy) && depth(made.height) >= revealDepth;
      if (spend !== null || !isIn || !mayShow) return;
      [spend, waits, isOut] = [claimed(null, '6f'.repeat(32)), 0, true];
    },
    () => {
      if (left.lies > 0) left = { ...left, lies: left.lies - 1 };
      else return;
      lie = lies[roll(lies.length)] ?? null;
    },
    () => hear({ is: 'provider.seen', status: words[roll(words.length)] ?? 'expired' }),
  ];

  for (let round = 0; round < 400 && machine.open(terms, progress); round++) {
    wall += tick;
    lie = null;
    acts[roll(acts.length)]?.();
    const isLeftAlone = isStalled && spend?.by === 'claim' && mtp() <= htlc.refundLocktime + 2 * hour;
    if (spend !== null && spend.height === null && !isLeftAlone && (waits += 1) >= minedIn)
      spend = { ...spend, height: tip() };
    look();
    for (const effect of [...effects]) if (effects.includes(effect)) run(effect);
    // What is prepared is sent in the same minute.
    for (const effect of [...effects]) if (effects.includes(effect)) run(effect);
    if (lie === null) judge();
  }
  if (machine.open(terms, progress)) fail(`it never ends: ${progress.at}`);
  if (ours.state === 'active' && progress.at !== 'claimed') fail(`it is ${progress.at} while our lock stands`);
  if (progress.at === 'done' && isOut && !isBuried('refund')) fail('both legs are here');
  return `${progress.at}, ${isOut ? 'shown' : 'not shown'}`;
}

function ends(world: typeof fair): string[] {
  const reached = new Set<string>();
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 5_039 }), { minLength: 40, maxLength: 120 }), (numbers) => {
      reached.add(play(numbers, world));
    }),
    { numRuns: 600 },
  );
  return [...reached].toSorted();
}

test('the secret was shown, and the node is up: the coin is ours, and never are both legs the provider’s', () => {
  expect(ends(fair)).toEqual(['claimed, shown', 'done, not shown']);
}, 120_000);

test('though nothing of ours is mined, the claim goes on, and the lock comes back unless it was taken', () => {
  expect(ends(hostile)).toEqual(['claimed, shown', 'done, not shown', 'done, shown', 'lost, shown']);
}, 120_000);
