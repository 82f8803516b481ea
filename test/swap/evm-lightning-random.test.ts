import { expect, test } from 'vitest';
import { sameBytes } from '../../engine/domain/hash.ts';
import type { EvmEffect } from '../../engine/legs/evm/effects.ts';
import type { SeenLock, SentState } from '../../engine/legs/evm/events.ts';
import { swapKey, type LockTerms } from '../../engine/legs/evm/swap-key.ts';
import type { PaymentState } from '../../engine/legs/lightning/port.ts';
import type { Effect, Event, Watch } from '../../engine/swap/machine.ts';
import { preimage, start } from './cases.ts';
import { diceOf, endings, type Games, gamesLimit } from './dice.ts';
import { drive } from './driver.ts';
import {
  account,
  askRefund,
  evmClocksAt,
  evmLightningCase,
  evmLightningTerms as t,
  fresh,
  lookAt,
  permit,
} from './evm-lightning-cases.ts';

/*
 * An honest EVM chain and an honest Lightning node, which answer late, twice or not at all, lose blocks that are not
 * buried, drop what was never sent and let transactions fail; and a client who locks what it likes, by itself and
 * through us, and takes every refund.
 */

/** When something came about, and by which transaction; not in the chain while the height is null. */
interface Mark {
  readonly by: string;
  height: number | null;
}

interface Lock {
  readonly terms: LockTerms;
  readonly key: Uint8Array;
  readonly made: Mark;
  /** Whoever made it does not send it again. */
  dropped: boolean;
  end: (Mark & { readonly how: 'claim' | 'consent' | 'alone' }) | null;
  /** A refund by both signatures was signed by us. */
  consented: boolean;
}

/** A transaction of our account, in the order of its nonces. */
interface Ours {
  readonly id: string;
  readonly purpose: 'relay-fund' | 'claim' | 'relay-refund';
  readonly key: Uint8Array;
  sent: boolean;
  state: 'waiting' | 'mined' | 'failed' | 'gone';
  height: number | null;
}

const games: Games = { runs: 6_000, throws: [30, 260], seed: 20_264, asPlayed: true };
const amounts = [t.least, t.least + 5n, t.least - 1n, t.least + 1_002n, 330n];

function play(numbers: readonly number[]): string {
  const { roll, left, unlucky } = diceOf(numbers);

  const rumours: Event[] = [];
  let wall: number = start;
  let height = 1_000;
  let nonce = 0;
  let payment = 'absent' as PaymentState['is'];
  let begun = false;
  /** A call that starts the payment is still on its way to the Lightning node. */
  let onItsWay = false;
  let lateForTheFence = false;
  const queue: Ours[] = [];
  const locks: Lock[] = [];

  const now = () => evmClocksAt(wall);
  const swap = drive(evmLightningCase.machine, t, fresh, [], (from, step) => {
    const acts = step.effects.map((effect) => (effect.do === 'evm.send' ? effect.act.is : effect.do));
    if (from.at === 'claiming' && acts.some((act) => act !== 'claim')) return `a claiming swap asks for ${acts.join()}`;
    return null;
  });

  const depth = (at: number | null) => (at === null ? 0 : height - at + 1);
  const standing = ({ made, end }: Lock) => made.height !== null && (end === null || end.height === null);
  const lockOf = (key: Uint8Array) => locks.find((lock) => sameBytes(lock.key, key));

  function pictures(): SeenLock[] {
    return locks
      .filter(({ made }) => made.height !== null)
      .map(({ terms, key, made, end }) => {
        const mark = end === null || end.height === null ? null : { txid: end.by, confirmations: depth(end.height) };
        return {
          terms,
          key,
          txid: made.by,
          height: made.height ?? 0,
          confirmations: depth(made.height),
          depositor: sameBytes(terms.refundAddress, account.coordinator) ? account.client : null,
          state:
            mark === null
              ? { is: 'active' }
              : end?.how === 'claim'
                ? { is: 'redeemed', preimage, ...mark }
                : { is: 'refunded', ...mark },
        };
      });
  }

  function sentState(id: string): SentState {
    const tx = queue.find((one) => one.id === id);
    if (tx === undefined) return swap.fail(`${id} is watched and was never sent`);
    if (tx.state === 'gone') return { is: 'gone' };
    if (tx.height === null) return { is: 'waiting', taken: id };
    return { is: 'mined', by: id, ok: tx.state === 'mined', confirmations: depth(tx.height), cost: 1n };
  }

  function paymentState(): PaymentState {
    if (payment === 'settled') return { is: 'settled', preimage, feeMsat: 1_000n };
    return payment === 'failed' ? { is: 'failed', reason: 'no route' } : { is: payment };
  }

  function lookOf(watch: Watch): Event {
    switch (watch.on) {
      case 'payment':
        return { is: 'payment.seen', state: paymentState() };
      case 'evm-lock':
        return lookAt(pictures(), wall);
      case 'evm-sent':
        return { is: 'evm.sent', purpose: watch.purpose, txid: watch.txid, state: sentState(watch.txid) };
      default:
        return swap.fail(`nobody keeps the watch ${watch.on}`);
    }
  }

  function pay(effect: Effect & { do: 'pay' }): Event | null {
    const deposit = effect.onlyIf.deposit ?? swap.fail('a payment without the lock that it is for');
    const late = wall - 2 > effect.onlyIf.notAfter;
    if (late && !begun) return { is: 'payment.refused', reason: 'late' };
    if (payment !== 'absent') return { is: 'payment.seen', state: paymentState(), unsure: true };
    const own = lockOf(swapKey(deposit.lock));
    const safe = own !== undefined && standing(own) && depth(own.made.height) >= t.confirmations && !late;
    if (!safe) return begun ? { is: 'payment.started', unsure: true } : null;
    if (deposit.lock.amount < t.least) swap.fail(`a payment is started for a lock of ${deposit.lock.amount}`);
    if (own.consented) swap.fail('a payment is started for a lock whose refund was signed');
    const answer: Event = { is: 'payment.started', ...(begun ? { unsure: true } : {}) };
    begun = true;
    if (left() && roll(3) === 0) {
      onItsWay = true;
      return null;
    }
    payment = 'in-flight';
    return answer;
  }

  /** Why the contract would refuse it now; null when it would not. */
  function refusal({ purpose, key }: Pick<Ours, 'purpose' | 'key'>): 'there' | 'none' | 'redeemed' | 'refunded' | null {
    const lock = lockOf(key);
    if (purpose === 'relay-fund') return lock === undefined || lock.made.height === null ? null : 'there';
    if (lock === undefined || lock.made.height === null) return 'none';
    if (standing(lock)) return null;
    return lock.end?.how === 'claim' ? 'redeemed' : 'refunded';
  }

  /** Prepares, in one commit with the answer. */
  function send(effect: EvmEffect, answerArrives: boolean): void {
    const { act } = effect;
    if (act.is !== 'relay-fund' && act.is !== 'claim' && act.is !== 'relay-refund')
      return swap.fail(`nobody asked for ${act.is}`);
    const purpose = act.is;
    const terms = act.is === 'relay-fund' ? { ...act.lock, amount: t.least } : act.lock;
    const key = swapKey(terms);
    const lock = lockOf(key);
    if (purpose === 'claim' && payment !== 'settled') swap.fail('a lock is claimed although nothing was paid');
    if (purpose === 'claim' && lock?.consented === true) swap.fail('a lock is claimed whose refund was signed');
    if (purpose === 'relay-refund' && payment === 'in-flight' && !lateForTheFence && !isOver(key))
      swap.fail('a refund is signed while the payment may settle');
    if (!answerArrives) return;
    const alive = queue.find(
      (tx) => tx.purpose === purpose && sameBytes(tx.key, key) && (tx.state === 'waiting' || tx.state === 'mined'),
    );
    if (alive !== undefined) return void swap.deliver({ is: 'evm.prepared', purpose, txid: alive.id }, now(), effect);
    const against = refusal({ purpose, key });
    const done = purpose === 'claim' ? 'redeemed' : 'refunded';
    if (purpose !== 'relay-fund' && against === done)
      return void swap.deliver({ is: 'evm.already-done', purpose }, now(), effect);
    // What takes our own is never refused for good: it is tried again.
    if (purpose === 'claim' && (against !== null || unlucky())) return;
    const late = effect.onlyIf !== undefined && wall > effect.onlyIf.notAfter;
    if (against !== null || late || unlucky())
      return void swap.deliver({ is: 'evm.refused', purpose, reason: `${against ?? 'paused'}` }, now(), effect);
    const id = `${nonce}`.padStart(64, '0');
    if (swap.deliver({ is: 'evm.prepared', purpose, txid: id }, now(), effect) === 'stayed') return;
    nonce++;
    if (purpose === 'relay-refund' && lock !== undefined) lock.consented = true;
    queue.push({ id, purpose, key, sent: false, state: 'waiting', height: null });
  }

  /** What is waiting is mined, ours in the order of its nonces; what it finds otherwise than it was, fails. */
  function mine(): void {
    height++;
    for (const { made, dropped } of locks)
      if (made.height === null && !dropped && roll(2) === 0 && !queue.some(({ id }) => id === made.by))
        made.height = height;
    for (const tx of queue.filter(({ state }) => state === 'waiting')) {
      tx.sent = true;
      if (unlucky()) break;
      const refused = refusal(tx) ?? (tx.purpose !== 'claim' && unlucky() ? 'paused' : null);
      tx.state = refused === null ? 'mined' : 'failed';
      tx.height = height;
      if (refused === null) carryOut(tx);
    }
  }

  function carryOut({ id, purpose, key }: Ours): void {
    const lock = lockOf(key);
    if (purpose === 'relay-fund') {
      const terms = { ...t.lock, amount: t.least };
      if (lock !== undefined) locks.splice(locks.indexOf(lock), 1);
      locks.push({
        terms,
        key,
        made: { by: id, height },
        dropped: true,
        end: null,
        consented: lock?.consented ?? false,
      });
    } else if (lock !== undefined) lock.end = { by: id, height, how: purpose === 'claim' ? 'claim' : 'consent' };
  }

  /** Blocks that are not buried go away, and what was in them waits again or is forgotten. */
  function reorganise(): void {
    const from = height - roll(t.confirmations - 1);
    for (const tx of queue)
      if (tx.height !== null && tx.height >= from) {
        tx.height = null;
        tx.state = 'waiting';
      }
    for (const lock of locks) {
      if (lock.end !== null && lock.end.height !== null && lock.end.height >= from) lock.end = null;
      if (lock.made.height === null || lock.made.height < from) continue;
      lock.made.height = null;
      lock.dropped ||= roll(3) === 0;
    }
  }

  /** The account's queue gives up what was never sent: its nonce goes to nothing, for good. */
  function giveUp(): void {
    const tx = queue.find(({ state, sent }) => state === 'waiting' && !sent);
    if (tx !== undefined) tx.state = 'gone';
  }

  function work(answerArrives: boolean): void {
    const effect = swap.next(roll);
    if (effect === undefined) return;
    if (effect.do === 'evm.send') return send(effect, answerArrives);
    if (effect.do !== 'pay') return swap.fail(`nobody asked for ${effect.do}`);
    const answer = pay(effect);
    if (answer !== null && answerArrives) swap.deliver(answer, now(), effect);
  }

  function lockDirectly(amount = amounts[roll(amounts.length)] ?? 330n): void {
    const refundAddress = roll(4) === 0 ? account.client : account.coordinator;
    const terms: LockTerms = { ...t.lock, amount, refundAddress };
    const key = swapKey(terms);
    if (lockOf(key) !== undefined) return;
    const by = `${locks.length}`.padStart(64, 'e');
    locks.push({ terms, key, made: { by, height: null }, dropped: false, end: null, consented: false });
  }

  /** Done with its own lock; this one is another, which the client may have back. */
  function isOver(key: Uint8Array): boolean {
    const p = swap.progress;
    return (p.at === 'claimed' || p.at === 'lost') && !sameBytes(p.deposit.key, key);
  }

  function askForRefund(): void {
    const picture = pictures()[roll(Math.max(1, locks.length))];
    if (picture === undefined) return;
    // Whoever signs looks at the payment first, when it may still come.
    if ('doubt' in swap.progress) swap.deliver({ is: 'payment.seen', state: paymentState() }, now());
    swap.deliver(askRefund(picture), now());
  }

  function takeAlone(): void {
    for (const lock of locks)
      if (standing(lock) && wall - 2 >= Number(lock.terms.timelock))
        lock.end = { by: 'f'.repeat(64), height: height + 1, how: 'alone' };
    height++;
  }

  /** The Lightning node tries a payment anew that it does not know, or that failed. */
  function arriveLate(): void {
    onItsWay = false;
    if (payment !== 'absent' && payment !== 'failed') return;
    payment = 'in-flight';
    // Our consent to a refund, once asked for, closes the claim for good.
    lateForTheFence ||= 'fenced' in swap.progress && swap.progress.fenced;
    lateForTheFence ||= locks.some(({ end }) => end !== null);
  }

  function look(): void {
    rumours.push(...swap.watches.map(lookOf));
  }

  function pass(seconds: number): void {
    wall += seconds;
    height += Math.floor(seconds / 30);
  }

  // Most games begin where something is at stake: a right lock is buried, and the payment about to start.
  if (roll(4) > 0) {
    lockDirectly(t.least);
    while (locks.some(({ made }) => made.height === null)) mine();
    pass(600);
    for (const event of swap.watches.map(lookOf)) swap.deliver(event, now());
  }
  while (left()) {
    switch (roll(15)) {
      case 0:
        pass([1, 30, 300, 300, 1_800, roll(4) === 0 ? 86_400 : 3_600][roll(6)] ?? 1);
        break;
      case 1:
        if (roll(2) === 0) lockDirectly();
        break;
      case 2:
        if (roll(3) === 0) swap.deliver({ is: 'fund.requested', permit, calls: [] }, now());
        break;
      case 3:
        look();
        break;
      case 4:
        swap.deliver({ is: 'clock' }, now());
        break;
      case 5:
        if (roll(3) === 0) askForRefund();
        break;
      case 6:
        if (roll(2) === 0) takeAlone();
        break;
      case 7:
        if (payment === 'in-flight') payment = roll(2) === 0 ? 'settled' : 'failed';
        else if (onItsWay && wall < t.invoiceExpiresAt && roll(2) === 0) arriveLate();
        break;
      case 8: {
        const event = rumours.at(-1 - roll(Math.min(8, Math.max(1, rumours.length))));
        if (event !== undefined) swap.deliver(event, now());
        break;
      }
      case 9:
        mine();
        break;
      case 10:
        if (roll(3) === 0) reorganise();
        else if (roll(6) === 0) giveUp();
        break;
      case 11:
        for (const event of swap.watches.map(lookOf)) swap.deliver(event, now());
        break;
      case 12:
        pass(60);
        break;
      default:
        work(roll(4) > 0);
    }
  }
  for (let i = 0; i < 80 && swap.open(); i++) {
    pass(i > 20 ? 14_400 : 600);
    if (payment === 'in-flight') payment = 'settled';
    work(true);
    mine();
    for (const event of swap.watches.map(lookOf)) swap.deliver(event, now());
    swap.deliver({ is: 'clock' }, now());
    if (i > 10) askForRefund();
    if (i > 20) takeAlone();
  }
  if (swap.open()) swap.fail(`the swap never ended, it is ${swap.progress.at}`);
  // What was sent is mined again wherever a block of it was lost, whatever became of the swap.
  for (let i = 0; i < 20; i++) mine();
  const ends = locks.filter(({ end }) => end !== null && end.height !== null);
  const claimed = ends.filter(({ end }) => end?.how === 'claim').length;
  const alone = ends.some(({ end }) => end?.how === 'alone');
  if (claimed > 1) swap.fail('more than one lock of the client was claimed');
  if (claimed === 1 && payment !== 'settled') swap.fail('both legs are ours');
  if (claimed === 0 && payment === 'settled' && !alone && !lateForTheFence)
    swap.fail('the payment settled and no lock was claimed: the client has both legs');
  return swap.progress.at;
}

test('evm to lightning: no run ends with both legs in one hand, and every ending is reached', gamesLimit, () => {
  expect(endings(play, games)).toEqual(['claimed', 'lapsed', 'lost', 'refunded', 'stopped']);
});
