import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { unix, type Clocks } from '../../engine/domain/time.ts';
import type { EvmEffect } from '../../engine/legs/evm/effects.ts';
import type { SeenLock, SentState } from '../../engine/legs/evm/events.ts';
import { burialDepth } from '../../engine/legs/onchain/depth.ts';
import { safeToFundForLock } from '../../engine/legs/safety/lock.ts';
import type { Effect, Event, Watch } from '../../engine/swap/machine.ts';
import { preimage, start } from './cases.ts';
import { diceOf, endings, type Games, gamesLimit } from './dice.ts';
import { drive } from './driver.ts';
import { evmBitcoinCase, evmBitcoinTerms as t, lookAtHtlc, output, payment, seenCoin } from './evm-bitcoin-cases.ts';
import { account, askRefund, network, seenLock } from './evm-lightning-cases.ts';

/*
 * Two honest chains, which answer late, twice or not at all, lose blocks that are not buried, and drop what waits in a
 * mempool; nodes that hold different spends of one coin; and a client who claims when it likes, and takes every refund
 * that it can get.
 */

/** A transaction on the Bitcoin chain: `none` has nobody, and `dead` never had anybody. */
interface BitcoinTx {
  readonly id: string;
  readonly kind: 'fund' | 'refund' | 'claim';
  where: 'none' | 'mempool' | 'dead' | number;
  sent: boolean;
}

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

const games: Games = { runs: 1_200, throws: [30, 300], seed: 20_262, asPlayed: true };
const clientTx = '4d'.repeat(32);
const timelock = Number(t.lock.timelock);

function play(numbers: readonly number[]): string {
  const { roll, left, unlucky } = diceOf(numbers);

  const rumours: Event[] = [];
  let wall: number = start;
  let lag = 1_800;
  let mtp: number = start - lag;
  let height = 900_000;
  let evmHeight = 60_000_000;
  let counter = 0;
  let claimShown = false;
  /** The machine was told of a claim of our coin, wherever that waited. */
  let hasClaim = false;
  let learned = false;
  let slow = false;
  let isTold = false;
  /** A race of refund and claim that was not over when the lock was about to open. */
  let outlasted = false;
  const lazy = roll(4) === 0;
  let flagged = '';
  const bitcoin: BitcoinTx[] = [];
  const evm: EvmTx[] = [];
  const locks: Lock[] = [];

  const now = (): Clocks => ({
    wall: unix(wall),
    bitcoin: { mtp: unix(mtp), height },
    [network]: { mtp: unix(wall - 2), height: evmHeight },
  });
  const swap = drive(evmBitcoinCase.machine, t, evmBitcoinCase.first, [], (from, step) => {
    if (step.flag !== undefined) flagged += `${step.flag}\n`;
    const { progress: to } = step;
    const isNear = wall + t.policy.mtpLag + t.policy.margin / 2 >= timelock;
    outlasted ||= isNear && from.at === 'refunding' && to.at === 'claiming' && to.end === null;
    learned ||= step.learned !== undefined;
    if (hasClaim && to.at !== 'lost' && step.effects.some((effect) => effect.do === 'htlc.spend'))
      return 'our coin is taken back although its claim was seen';
    return null;
  });

  function hear(event: Event): void {
    hasClaim ||= event.is === 'htlc.seen' && event.coins.some(({ spend }) => spend?.by === 'claim');
    swap.deliver(event, now());
    const isRace = swap.progress.at === 'refunding' && swap.progress.redeem !== undefined;
    if (event.is === 'clock' && isRace && wall >= timelock - t.policy.margin / 4)
      swap.fail('a race is waited for although the client’s lock is about to open');
  }

  const id = (letter: string) => `${counter++}`.padStart(64, letter);
  const funding = () => bitcoin.find(({ kind }) => kind === 'fund');
  const spends = () => bitcoin.filter(({ kind }) => kind !== 'fund');
  const isMined = ({ where }: BitcoinTx): boolean => typeof where === 'number';
  const isThere = (tx: BitcoinTx | undefined): boolean => tx !== undefined && (tx.where === 'mempool' || isMined(tx));
  const isBuried = ({ where }: BitcoinTx): boolean => typeof where === 'number' && height - where + 1 >= burialDepth;
  const minedSpend = () => spends().find(isMined);

  function coinLook(): Event {
    const fund = funding();
    if (fund === undefined || !isThere(fund)) return { ...lookAtHtlc(), height };
    const waiting = spends().filter(({ where }) => where === 'mempool');
    // Nodes differ in which of two spends they hold.
    const spend = minedSpend() ?? waiting[waiting.length > 1 ? roll(waiting.length) : 0];
    if (spend?.kind === 'claim') claimShown = true;
    const at = (tx: BitcoinTx) => (typeof tx.where === 'number' ? tx.where : null);
    const taking =
      spend === undefined
        ? null
        : spend.kind === 'refund'
          ? ({ txid: spend.id, height: at(spend), by: 'refund' } as const)
          : ({ txid: spend.id, height: at(spend), by: 'claim', preimage, bytes: new Uint8Array(3) } as const);
    return { ...lookAtHtlc(seenCoin({ height: at(fund), spend: taking })), height };
  }

  const depth = (at: number) => evmHeight - at + 1;

  function lockOf({ amount, created, end }: Lock): SeenLock {
    const state: SeenLock['state'] =
      end === null
        ? { is: 'active' }
        : end.is === 'refunded'
          ? { is: 'refunded', txid: end.by, confirmations: depth(end.height) }
          : { is: 'redeemed', preimage, txid: end.by, confirmations: depth(end.height) };
    return seenLock({ amount }, { height: created, confirmations: depth(created), txid: clientTx, state });
  }

  function sentState(txid: string): SentState {
    const tx = evm.find((one) => one.id === txid);
    if (tx === undefined) return swap.fail(`${txid} is watched and was never sent`);
    if (tx.height === null) return { is: 'waiting', taken: txid };
    return { is: 'mined', by: txid, ok: tx.state === 'mined', confirmations: depth(tx.height), cost: 1n };
  }

  function lookOf(watch: Watch): Event {
    switch (watch.on) {
      case 'htlc':
        return coinLook();
      case 'evm-lock':
        return {
          is: 'evm.seen',
          network,
          height: evmHeight,
          time: unix(wall - 2),
          asked: unix(wall),
          locks: locks.map(lockOf),
        };
      case 'evm-sent':
        return { is: 'evm.sent', purpose: watch.purpose, txid: watch.txid, state: sentState(watch.txid) };
      default:
        return swap.fail(`nobody keeps the watch ${watch.on}`);
    }
  }

  /** Nothing of ours can reach the client any more. */
  const isClosed = (): boolean => {
    const fund = funding();
    const onItsWay = swap.effects.some((effect) => effect.do === 'onchain.broadcast' && effect.txid === fund?.id);
    if (fund === undefined || fund.where === 'dead') return true;
    return spends().some((tx) => tx.kind === 'refund' && isBuried(tx)) && (fund.sent || !onItsWay);
  };

  function send(effect: EvmEffect, answerArrives: boolean): void {
    const { act } = effect;
    if (act.is !== 'claim' && act.is !== 'relay-refund' && act.is !== 'relay-fund')
      return swap.fail(`nobody asked for ${act.is}`);
    if (act.is === 'claim' && !claimShown) swap.fail('the lock is claimed although nobody saw the client claim');
    if (act.is === 'claim' && !learned) swap.fail('the lock is claimed with a secret that was not saved');
    const isPaid = locks.some(({ end }) => end?.is === 'redeemed') || swap.progress.at === 'lost';
    if (act.is === 'relay-refund' && !isPaid && !isClosed())
      swap.fail('a refund is signed while our coin is out, or may be');
    if (!answerArrives) return;
    const amount = act.is === 'relay-fund' ? t.least : act.lock.amount;
    const lock = locks.find((one) => one.amount === amount);
    if (act.is !== 'relay-fund' && lock?.end !== null && act.is === 'relay-refund')
      return void swap.deliver({ is: 'evm.already-done', purpose: act.is }, now(), effect);
    if (act.is === 'relay-fund' && (lock !== undefined || unlucky()))
      return void swap.deliver({ is: 'evm.refused', purpose: act.is, reason: 'no' }, now(), effect);
    const txid = id('e');
    if (swap.deliver({ is: 'evm.prepared', purpose: act.is, txid }, now(), effect) === 'stayed') return;
    evm.push({ id: txid, purpose: act.is, amount, state: 'waiting', height: null });
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
      // The client's own transaction is mined again, unless it thinks better of it.
      if (relayed || roll(4) === 0) locks.splice(locks.indexOf(lock), 1);
      else lock.created = evmHeight;
    }
  }

  function mineBitcoin(): void {
    height++;
    lag = Math.max(0, Math.min(t.policy.mtpLag, lag + [0, 300, -300, 1_200][roll(4)]!));
    mtp = Math.max(mtp, wall - lag);
    const fund = funding();
    if (fund?.where === 'mempool' && !unlucky()) fund.where = height;
    if (fund === undefined || !isMined(fund) || minedSpend() !== undefined) return;
    const waiting = spends().filter(({ where }) => where === 'mempool');
    const tx = waiting[waiting.length > 1 ? roll(waiting.length) : 0];
    if (tx === undefined || unlucky()) return;
    tx.where = height;
    for (const rival of waiting) if (rival !== tx) rival.where = 'none';
  }

  function reorganiseBitcoin(): void {
    const from = height - roll(burialDepth - 1);
    for (const tx of bitcoin)
      if (typeof tx.where === 'number' && tx.where >= from) tx.where = roll(3) === 0 ? 'none' : 'mempool';
    dropOrphans();
  }

  /** Without its parent nothing waits. */
  function dropOrphans(): void {
    const fund = funding();
    if (isThere(fund)) return;
    for (const tx of spends()) if (tx.where === 'mempool') tx.where = 'none';
  }

  function evict(): void {
    const waiting = bitcoin.filter(({ where }) => where === 'mempool');
    const tx = waiting[waiting.length > 1 ? roll(waiting.length) : 0];
    if (tx !== undefined) tx.where = 'none';
    dropOrphans();
  }

  function broadcast(effect: Effect & { do: 'onchain.broadcast' }, answerArrives: boolean): void {
    const tx = bitcoin.find((one) => one.id === effect.txid);
    if (tx === undefined || tx.where === 'dead') return void swap.deliver({ is: 'clock' }, now(), effect);
    if (isBuried(tx)) {
      const isOver = tx.kind === 'fund' && isTold;
      if (!answerArrives) return;
      swap.deliver(
        isOver ? { is: 'clock' } : { is: 'onchain.final', leg: 'bitcoin', txid: tx.id, fee: sats(300) },
        now(),
        effect,
      );
      isTold ||= tx.kind === 'fund';
      return;
    }
    if (tx.kind === 'refund') {
      const spend = minedSpend();
      if (spend !== undefined && spend !== tx && isBuried(spend)) {
        const event: Event =
          spend.kind === 'refund'
            ? { is: 'onchain.final', leg: 'bitcoin', txid: spend.id, fee: sats(200) }
            : { is: 'onchain.refused', leg: 'bitcoin', txid: tx.id, why: 'spent', reason: 'somebody else' };
        if (answerArrives) swap.deliver(event, now(), effect);
        return;
      }
      if (mtp <= t.htlc.refundLocktime || !isThere(funding()) || spend !== undefined) return;
      if (tx.where === 'none') tx.where = 'mempool';
      if (unlucky() && answerArrives)
        swap.deliver({ is: 'onchain.stuck', leg: 'bitcoin', txid: tx.id, leastRate: 4 }, now(), effect);
      return;
    }
    if (!tx.sent && effect.onlyIf !== undefined && !maySend(effect, tx)) return;
    if (!tx.sent && effect.onlyIf === undefined) swap.fail('a funding is sent that nobody judged');
    if (effect.push === undefined) swap.fail('a funding is sent that nothing can push');
    tx.sent = true;
    if (tx.where === 'none') tx.where = 'mempool';
  }

  /** Before it is sent for the first time the lock must still stand, deep and for long enough. */
  function maySend(effect: Effect & { do: 'onchain.broadcast' }, tx: BitcoinTx): boolean {
    const { onlyIf } = effect;
    const escrow = onlyIf?.escrow;
    if (onlyIf === undefined || escrow === undefined) return swap.fail('a funding without the lock that it is for');
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
    if (mtp <= onlyIf.notAfter && safety?.unsafe !== 'never') return safety === null;
    tx.where = 'dead';
    swap.deliver(
      { is: 'onchain.refused', leg: 'bitcoin', txid: tx.id, why: 'late', reason: 'too late' },
      now(),
      effect,
    );
    return false;
  }

  function work(answerArrives: boolean): void {
    // One at a time of each leg, in order: what lasts keeps the others behind it waiting.
    const effect = swap.next(roll);
    if (effect === undefined) return;
    switch (effect.do) {
      case 'evm.send':
        return send(effect, answerArrives);
      case 'onchain.broadcast':
        return broadcast(effect, answerArrives);
      case 'htlc.resend': {
        const fund = funding();
        const claim = spends().findLast(({ kind }) => kind === 'claim');
        const end = minedSpend();
        if (end !== undefined && isBuried(end)) {
          const final: Event = { is: 'onchain.final', leg: 'bitcoin', txid: payment.txid, fee: sats(300) };
          if (answerArrives) swap.deliver(isTold || fund === undefined ? { is: 'clock' } : final, now(), effect);
          if (answerArrives) isTold = true;
          return;
        }
        if (fund?.where === 'none') fund.where = 'mempool';
        if (claim?.where === 'none' && isThere(funding()) && minedSpend() === undefined) claim.where = 'mempool';
        return;
      }
      case 'htlc.fund': {
        if (!answerArrives) return;
        if (unlucky()) return void swap.deliver({ is: 'htlc.refused', reason: 'the wallet is empty' }, now(), effect);
        if (funding() !== undefined && funding()?.where !== 'dead') swap.fail('a second funding is signed');
        if (swap.deliver({ is: 'htlc.prepared', payment, output, height }, now(), effect) === 'moved')
          bitcoin.push({ id: payment.txid, kind: 'fund', where: 'none', sent: false });
        return;
      }
      case 'htlc.spend': {
        if (mtp <= t.htlc.refundLocktime) swap.fail('a refund is signed before its time');
        if (hasClaim && swap.progress.at !== 'lost')
          swap.fail('a refund is signed although the client’s claim was seen');
        const txid = id('b');
        const event: Event = {
          is: 'onchain.prepared',
          leg: 'bitcoin',
          purpose: 'refund',
          txid,
          amount: t.targetAmount,
          rate: 2,
          capped: false,
          height,
        };
        if (answerArrives && swap.deliver(event, now(), effect) === 'moved')
          bitcoin.push({ id: txid, kind: 'refund', where: 'none', sent: false });
        return;
      }
      default:
        return swap.fail(`nobody asked for ${effect.do}`);
    }
  }

  function lockTokens(): void {
    const amount = [t.least, t.least, t.least + 7n, t.least - 1n][roll(4)] ?? t.least;
    if (locks.length < 2 && !locks.some((one) => one.amount === amount))
      locks.push({ amount, created: evmHeight, end: null, signed: false });
  }

  /** The client claims our coin by its first or by another transaction. */
  function claimCoin(): void {
    if (!isThere(funding()) || minedSpend() !== undefined) return;
    const before = spends().findLast(({ kind }) => kind === 'claim');
    if (before !== undefined && roll(3) > 0) {
      if (before.where === 'none') before.where = 'mempool';
    } else {
      if (before?.where === 'mempool') before.where = 'none';
      bitcoin.push({ id: id('c'), kind: 'claim', where: 'mempool', sent: true });
    }
  }

  function takeRefund(): void {
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
    const permit = {
      depositor: account.client,
      token: account.token,
      amount: t.least,
      nonce: 7n,
      deadline: BigInt(start + 1_200),
      signature: new Uint8Array(65),
    };
    if (locks.length === 0) swap.deliver({ is: 'fund.requested', permit, calls: [] }, now());
  }

  function pass(seconds: number): void {
    wall += seconds;
    evmHeight += Math.floor(seconds / 2);
    if (seconds >= 600) for (let i = 0; i < Math.min(8, seconds / 600); i++) mineBitcoin();
  }

  function hearAll(): void {
    for (const event of swap.watches.map(lookOf)) hear(event);
  }

  // Half of the games begin with our coin out: what comes then is longer.
  if (roll(2) === 0) {
    locks.push({ amount: t.least, created: evmHeight, end: null, signed: false });
    pass(120);
    for (let i = 0; i < 3; i++) {
      hearAll();
      work(true);
    }
    // And some with our refund on its way.
    if (roll(2) === 0) {
      for (let i = 0; i < 12; i++) mineBitcoin();
      work(true);
      pass(46_000);
      for (let i = 0; i < 4; i++) mineBitcoin();
      hear({ is: 'clock' });
      work(true);
      work(true);
    }
  }
  while (left()) {
    switch (roll(16)) {
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
        if (roll(3) === 0) takeRefund();
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
        mineBitcoin();
        break;
      case 9:
        if (roll(2) === 0) claimCoin();
        break;
      case 10:
        if (roll(2) === 0) reorganiseBitcoin();
        else reorganiseEvm();
        break;
      case 11:
        evict();
        break;
      case 12:
      case 13:
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
    mineBitcoin();
    hearAll();
    hear({ is: 'clock' });
    if (i > 40 && !lazy) askForSignature();
    if (i > 90 && !lazy) takeRefund();
  }
  if (swap.open()) swap.fail(`the swap never ended, it is ${swap.progress.at}`);
  for (let i = 0; i < 30; i++) mineEvm();
  wall = Math.max(wall, timelock + 10);
  takeRefund();
  const has = minedSpend()?.kind;
  const redeemed = locks.filter(({ end }) => end?.is === 'redeemed').length;
  if (redeemed > 1) swap.fail('more than one lock of the client was claimed');
  if (locks.some(({ end }) => end === null)) swap.fail('a lock of the client is left lying');
  if (isThere(funding()) && has === undefined) swap.fail('our coin is left lying');
  if (redeemed === 1 && has !== 'claim' && !outlasted) swap.fail('both legs are ours');
  if (redeemed === 1 && has !== 'claim' && !flagged.includes('Both legs of this swap are ours'))
    swap.fail('both legs are ours, and nobody is told');
  if (redeemed === 0 && has === 'claim' && !slow) swap.fail('the client has both legs');
  if (redeemed === 0 && has === 'claim' && !flagged.includes('took its lock back'))
    swap.fail('a loss that nobody is told of');
  return swap.progress.at;
}

test(
  'evm to bitcoin: both legs are in one hand only where a race outlasts the lock, and then it is told',
  gamesLimit,
  () => {
    expect(endings(play, games)).toEqual(['claimed', 'lapsed', 'lost', 'refunded', 'returned', 'stopped']);
  },
);
