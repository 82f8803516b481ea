import { expect, test } from 'vitest';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { unix, type Clocks } from '../../engine/domain/time.ts';
import type { SeenCoin } from '../../engine/legs/arkade/events.ts';
import type { EvmEffect } from '../../engine/legs/evm/effects.ts';
import type { SeenLock, SentState } from '../../engine/legs/evm/events.ts';
import { safeToFundForLock } from '../../engine/legs/safety/lock.ts';
import type { Effect, Event, Watch } from '../../engine/swap/machine.ts';
import { coin, preimage, spentBy, start, startHeight, txid } from './cases.ts';
import { diceOf, endings, type Games, gamesLimit } from './dice.ts';
import { drive } from './driver.ts';
import { evmArkadeCase, evmArkadeTerms as t } from './evm-arkade-cases.ts';
import { account, askRefund, network, seenLock } from './evm-lightning-cases.ts';

/*
 * An honest operator and an honest EVM chain, which answer late, twice or not at all; the chain loses blocks that are
 * not buried. The client locks what it likes, claims our VHTLC through every door, and takes every refund of its lock
 * that it can get.
 */

/** A transaction of our account on the EVM chain. */
interface EvmTx {
  readonly id: string;
  readonly purpose: 'claim' | 'relay-refund' | 'relay-fund';
  readonly amount: bigint;
  state: 'waiting' | 'mined' | 'failed';
  height: number | null;
}

interface Lock {
  readonly amount: bigint;
  created: number;
  end: { readonly is: 'redeemed' | 'refunded'; readonly by: string; readonly height: number } | null;
  /** We signed its refund: its client may take it at any time. */
  signed: boolean;
}

interface VhtlcTx {
  readonly id: string;
  state: 'prepared' | 'accepted' | 'final';
}

const games: Games = { runs: 1_200, throws: [30, 300], seed: 20_262, asPlayed: true };
const clientTx = '4d'.repeat(32);
const timelock = Number(t.lock.timelock);

function play(numbers: readonly number[]): string {
  const { roll, left, unlucky } = diceOf(numbers);

  const rumours: Event[] = [];
  let wall: number = start;
  let evmHeight = 60_000_000;
  let counter = 0;
  let learned = false;
  /** The client took its lock back at the end of its time, unsigned by us. */
  let slow = false;
  let flags = '';
  const lazy = roll(4) === 0;
  const evm: EvmTx[] = [];
  const locks: Lock[] = [];
  const vhtlcs: VhtlcTx[] = [];
  let target = 'none' as 'none' | 'locked' | 'claimed' | 'refunded';
  let refund: 'none' | 'accepted' = 'none';
  /** The client's claim waits in the operator's queue, and the secret is to be seen there. */
  let queued = false;
  let isShown = false;

  const mtp = (): number => wall - 1_800;
  const now = (): Clocks => ({
    wall: unix(wall),
    bitcoin: { mtp: unix(mtp()), height: startHeight + Math.floor((wall - start) / 600) },
    [network]: { mtp: unix(wall - 2), height: evmHeight },
  });
  const swap = drive(evmArkadeCase.machine, t, evmArkadeCase.first, [], (_, step) => {
    if (step.flag !== undefined) flags += `${step.flag}\n`;
    learned ||= step.learned !== undefined;
    return null;
  });

  const hear = (event: Event): void => void swap.deliver(event, now());
  const id = (letter: string) => `${counter++}`.padStart(64, letter);
  const depth = (at: number) => evmHeight - at + 1;
  const theVhtlc = () => vhtlcs.find(({ state }) => state !== 'prepared');

  function coins(): SeenCoin[] {
    const made = theVhtlc();
    if (made?.state !== 'final') return [];
    const at = { outpoint: { txid: made.id, vout: 0 } satisfies Outpoint, amount: t.targetAmount };
    isShown ||= target === 'claimed' || queued;
    if (target === 'claimed') return [coin({ ...at, ...spentBy.clientClaim })];
    if (target === 'refunded' || refund === 'accepted') {
      const spend = { leaf: 'refund-without-receiver' } as const;
      return [coin({ ...at, spent: true, spentIn: txid.refund, spentBy: txid.refund, spend })];
    }
    return [coin({ ...at, ...(queued ? spentBy.queuedClaim : {}) })];
  }

  function lockOf({ amount, created, end }: Lock): SeenLock {
    const state: SeenLock['state'] =
      end === null
        ? { is: 'active' }
        : end.is === 'refunded'
          ? { is: 'refunded', txid: end.by, confirmations: depth(end.height) }
          : { is: 'redeemed', preimage, txid: end.by, confirmations: depth(end.height) };
    return seenLock({ amount }, { height: created, confirmations: depth(created), txid: clientTx, state });
  }

  function sentState(sent: string): SentState {
    const tx = evm.find((one) => one.id === sent);
    if (tx === undefined) return swap.fail(`${sent} is watched and was never sent`);
    if (tx.height === null) return { is: 'waiting', taken: sent };
    return { is: 'mined', by: sent, ok: tx.state === 'mined', confirmations: depth(tx.height), cost: 1n };
  }

  function lookOf(watch: Watch): Event {
    switch (watch.on) {
      case 'vhtlc':
      case 'queue':
        return { is: 'vhtlc.seen', coins: coins() };
      case 'evm-lock': {
        const at = { height: evmHeight, time: unix(wall - 2), asked: unix(wall) };
        return { is: 'evm.seen', network, ...at, locks: locks.map(lockOf) };
      }
      case 'evm-sent':
        return { is: 'evm.sent', purpose: watch.purpose, txid: watch.txid, state: sentState(watch.txid) };
      default:
        return swap.fail(`nobody keeps the watch ${watch.on}`);
    }
  }

  /** Nothing of ours can reach the client any more. */
  function isClosed(): boolean {
    const onItsWay = swap.effects.some((effect) => effect.do === 'vhtlc.submit' && effect.purpose === 'lock');
    return target === 'refunded' || (target === 'none' && theVhtlc() === undefined && !onItsWay);
  }

  function send(effect: EvmEffect, answerArrives: boolean): void {
    const { act } = effect;
    if (act.is !== 'claim' && act.is !== 'relay-refund' && act.is !== 'relay-fund')
      return swap.fail(`nobody asked for ${act.is}`);
    if (act.is === 'claim' && !isShown) swap.fail('the lock is claimed although nobody saw the client claim');
    if (act.is === 'claim' && !learned) swap.fail('the lock is claimed with a secret that was not saved');
    const isPaid = locks.some(({ end }) => end?.is === 'redeemed') || swap.progress.at === 'lost';
    if (act.is === 'relay-refund' && !isPaid && !isClosed())
      swap.fail('a refund is signed while our VHTLC is out, or may be');
    if (!answerArrives) return;
    const amount = act.is === 'relay-fund' ? t.least : act.lock.amount;
    const lock = locks.find((one) => one.amount === amount);
    if (act.is !== 'relay-fund' && lock?.end !== null && act.is === 'relay-refund')
      return void swap.deliver({ is: 'evm.already-done', purpose: act.is }, now(), effect);
    if (act.is === 'relay-fund' && (lock !== undefined || unlucky()))
      return void swap.deliver({ is: 'evm.refused', purpose: act.is, reason: 'no' }, now(), effect);
    const sent = id('e');
    if (swap.deliver({ is: 'evm.prepared', purpose: act.is, txid: sent }, now(), effect) === 'stayed') return;
    evm.push({ id: sent, purpose: act.is, amount, state: 'waiting', height: null });
    if (act.is === 'relay-refund' && lock !== undefined) lock.signed = true;
  }

  function mineEvm(): void {
    evmHeight += 1 + roll(4);
    for (const tx of evm.filter(({ state }) => state === 'waiting')) {
      if (unlucky()) break;
      tx.height = evmHeight;
      const lock = locks.find(({ amount }) => amount === tx.amount);
      if (tx.purpose === 'relay-fund') {
        tx.state = lock === undefined ? 'mined' : 'failed';
        if (lock === undefined) locks.push({ amount: tx.amount, created: evmHeight, end: null, signed: false });
        continue;
      }
      tx.state = lock?.end === null ? 'mined' : 'failed';
      if (lock?.end === null)
        lock.end = { is: tx.purpose === 'claim' ? 'redeemed' : 'refunded', by: tx.id, height: evmHeight };
    }
  }

  /** Blocks that are not buried go away, and what was in them waits again. */
  function reorganiseEvm(): void {
    const from = evmHeight - roll(t.confirmations - 1);
    for (const tx of evm)
      if (tx.height !== null && tx.height >= from) {
        tx.height = null;
        tx.state = 'waiting';
      }
    for (const lock of locks) if (lock.end !== null && lock.end.height >= from) lock.end = null;
    for (const lock of locks.filter(({ created }) => created >= from)) {
      const relayed = evm.some(({ purpose, height: at }) => purpose === 'relay-fund' && at === null);
      if (relayed || roll(4) === 0) locks.splice(locks.indexOf(lock), 1);
      else lock.created = evmHeight;
    }
  }

  function submitLock(effect: Effect & { do: 'vhtlc.submit' }): Event | null {
    const made = vhtlcs.find((one) => one.id === effect.txid);
    const answer = { purpose: 'lock', txid: effect.txid } as const;
    if (made !== undefined && made.state !== 'prepared')
      return { is: made.state === 'final' ? 'vhtlc.final' : 'vhtlc.accepted', ...answer };
    const { escrow, notAfter } = effect.onlyIf ?? {};
    if (escrow === undefined || notAfter === undefined)
      return swap.fail('a VHTLC is locked without the lock that it is for');
    const lock = locks.find(({ amount, end }) => amount === escrow.lock.amount && end === null);
    const safety = safeToFundForLock(
      {
        network,
        depth: lock === undefined ? null : depth(lock.created),
        confirmations: escrow.confirmations,
        timelock: unix(timelock),
        htlcRefundLocktime: escrow.htlcRefundLocktime,
      },
      now(),
      escrow.policy,
    );
    if (mtp() > notAfter || safety?.unsafe === 'never')
      return { is: 'vhtlc.refused', ...answer, why: 'late', reason: 'late' };
    if (safety !== null) return null; // judged again later
    if (unlucky()) return { is: 'vhtlc.refused', ...answer, why: roll(2) === 0 ? 'spent' : 'refused', reason: 'no' };
    if (theVhtlc() !== undefined) swap.fail('a second VHTLC is made while the first exists');
    if (lock === undefined || lock.amount < t.least) swap.fail('a VHTLC is made for a lock that is short');
    if (lock?.signed === true) swap.fail('a VHTLC is made for a lock whose refund we signed');
    vhtlcs.push({ id: effect.txid, state: 'accepted' });
    return { is: 'vhtlc.accepted', ...answer };
  }

  function submitRefund(sent: string): Event {
    const answer = { purpose: 'refund', txid: sent } as const;
    if (target === 'claimed') return { is: 'vhtlc.refused', ...answer, why: 'spent', reason: 'spent' };
    if (refund === 'none' && unlucky()) return { is: 'vhtlc.refused', ...answer, why: 'refused', reason: 'busy' };
    refund = 'accepted';
    return { is: 'vhtlc.accepted', ...answer };
  }

  function finalize(effect: Effect & { do: 'vhtlc.finalize' }): Event {
    const { purpose } = effect;
    if (purpose === 'lock') {
      const made = vhtlcs.find((one) => one.id === effect.txid);
      if (made === undefined) return swap.fail('a VHTLC that was never accepted is finalized');
      made.state = 'final';
      if (target === 'none') target = 'locked';
    } else if (refund === 'accepted' && target === 'locked') target = 'refunded';
    return { is: 'vhtlc.final', purpose, txid: effect.txid };
  }

  function act(effect: Effect): Event | null {
    switch (effect.do) {
      case 'vhtlc.lock': {
        const made = id('a');
        return { is: 'vhtlc.prepared', purpose: 'lock', txid: made, output: { txid: made, vout: 0 } };
      }
      case 'vhtlc.refund':
        if (target === 'claimed')
          return { is: 'vhtlc.refused', purpose: 'refund', txid: null, why: 'spent', reason: 'spent' };
        if (mtp() <= t.vhtlc.refundLocktime) return null;
        return { is: 'vhtlc.prepared', purpose: 'refund', txid: txid.refund, output: { txid: txid.refund, vout: 0 } };
      case 'vhtlc.submit':
        return effect.purpose === 'lock' ? submitLock(effect) : submitRefund(effect.txid);
      case 'vhtlc.finalize':
        return finalize(effect);
      default:
        return swap.fail(`nobody asked for ${effect.do}`);
    }
  }

  function work(answerArrives: boolean): void {
    const effect = swap.next(roll);
    if (effect === undefined) return;
    if (effect.do === 'evm.send') return send(effect, answerArrives);
    const answer = act(effect);
    // A lost answer, or a node that died before its commit: the effect is still owed.
    if (answer !== null && answerArrives) swap.deliver(answer, now(), effect);
  }

  function lockTokens(): void {
    const amount = [t.least, t.least, t.least + 7n, t.least - 1n][roll(4)] ?? t.least;
    if (locks.length < 2 && !locks.some((one) => one.amount === amount))
      locks.push({ amount, created: evmHeight, end: null, signed: false });
  }

  function clientClaims(): void {
    if (target !== 'locked' || refund === 'accepted') return;
    if (roll(3) > 0) queued = !queued;
    else target = 'claimed';
  }

  function takeLockBack(): void {
    for (const lock of locks) {
      if (lock.end !== null || !(lock.signed || wall - 2 >= timelock)) continue;
      if (!lock.signed) slow = true;
      lock.end = { is: 'refunded', by: clientTx, height: evmHeight };
    }
  }

  function askForSignature(): void {
    const lock = locks.find(({ end }) => end === null);
    if (lock !== undefined) swap.deliver(askRefund(lockOf(lock)), now());
  }

  function askForRelay(): void {
    const [deadline, signature] = [BigInt(start + 1_200), new Uint8Array(65)];
    const permit = { depositor: account.client, token: account.token, amount: t.least, nonce: 7n, deadline, signature };
    if (locks.length === 0) swap.deliver({ is: 'fund.requested', permit, calls: [] }, now());
  }

  function pass(seconds: number): void {
    wall += seconds;
    evmHeight += Math.floor(seconds / 2);
  }

  function hearAll(): void {
    for (const event of swap.watches.map(lookOf)) hear(event);
  }

  // Half of the games begin with our VHTLC out: what comes then is longer.
  if (roll(2) === 0) {
    locks.push({ amount: t.least, created: evmHeight, end: null, signed: false });
    pass(120);
    for (let i = 0; i < 4; i++) {
      hearAll();
      work(true);
    }
    // And some with our refund on its way.
    if (roll(2) === 0) {
      pass(46_000);
      hear({ is: 'clock' });
      work(true);
    }
  }
  while (left()) {
    switch (roll(13)) {
      case 0:
        pass([1, 30, 300, 1_800, 14_400, 43_200, 150_000][roll(7)] ?? 1);
        break;
      case 1:
        if (roll(2) === 0) lockTokens();
        else askForRelay();
        break;
      case 2:
        rumours.push(...swap.watches.map(lookOf));
        break;
      case 3:
        hear({ is: 'clock' });
        break;
      case 4:
        if (roll(3) === 0) askForSignature();
        break;
      case 5:
        if (roll(3) === 0) takeLockBack();
        break;
      case 6: {
        const event = rumours.at(-1 - roll(Math.min(8, Math.max(1, rumours.length))));
        if (event !== undefined) hear(event);
        break;
      }
      case 7:
        mineEvm();
        break;
      case 8:
        if (roll(2) === 0) clientClaims();
        break;
      case 9:
        reorganiseEvm();
        break;
      case 10:
        hearAll();
        break;
      default:
        work(roll(4) > 0);
    }
  }
  for (let i = 0; i < 150 && swap.open(); i++) {
    pass(i > 60 ? 7_200 : 60);
    for (let j = 0; j < 4; j++) work(true);
    mineEvm();
    hearAll();
    hear({ is: 'clock' });
    if (i > 40 && !lazy) askForSignature();
    if (i > 90 && !lazy) takeLockBack();
    // A claim that was believed is the client's to make, waits it in the queue still or not, unless our refund took the
    // coin.
    if (i > 100 && target === 'locked' && refund === 'none' && swap.progress.at === 'claimed') target = 'claimed';
  }
  if (swap.open()) swap.fail(`the swap never ended, it is ${swap.progress.at}`);
  for (let i = 0; i < 30; i++) mineEvm();
  wall = Math.max(wall, timelock + 10);
  const redeemed = locks.filter(({ end }) => end?.is === 'redeemed').length;
  // A claim that waited in the queue when we believed it is the client's to make, whenever it likes.
  if (redeemed === 1 && target === 'locked' && refund === 'none') target = 'claimed';
  takeLockBack();
  if (redeemed > 1) swap.fail('more than one lock of the client was claimed');
  if (target === 'locked') swap.fail('our VHTLC is left lying');
  // Where nobody said in time whose the VHTLC was, the debt is written down for a person.
  const isOwed = 'bothLegs' in swap.progress && swap.progress.bothLegs === true;
  if (redeemed === 1 && target !== 'claimed' && !isOwed) swap.fail('both legs are ours');
  if (isOwed && !flags.includes('Both legs of this swap are ours')) swap.fail('both legs are ours, and nobody is told');
  if (redeemed === 0 && target === 'claimed' && !slow) swap.fail('the client has both legs');
  if (redeemed === 0 && target === 'claimed' && !flags.includes('took its lock back'))
    swap.fail('a loss that nobody is told of');
  return swap.progress.at;
}

test('evm to arkade: no run ends with both legs in one hand, and every ending is reached', gamesLimit, () => {
  expect(endings(play, games)).toEqual(['claimed', 'lapsed', 'lost', 'refunded', 'returned', 'stopped']);
});
