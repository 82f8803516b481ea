import type { EvmEffect } from '../../engine/legs/evm/effects.ts';
import type { SeenLock, SentState } from '../../engine/legs/evm/events.ts';
import type { Clocks } from '../../engine/domain/time.ts';
import type { EvmTargetTerms } from '../../engine/swap/halves/evm/fund/terms.ts';
import type { Event, Watch } from '../../engine/swap/machine.ts';
import { claimRequest, clocksOn, evmSeen, seenLock } from './arkade-evm-cases.ts';
import { preimage, start } from './cases.ts';
import type { diceOf } from './dice.ts';
import type { Driver } from './driver.ts';

/*
 * An honest EVM chain with our lock, which answers late, twice or not at all, loses blocks that are not buried, and
 * drops what was never sent.
 */

/** A transaction of our account, in the order of its nonces. */
interface Ours {
  readonly id: string;
  readonly purpose: 'lock' | 'relay-claim' | 'refund';
  sent: boolean;
  /** Its block went away: what it finds when it is mined again may be another price. */
  moved: boolean;
  state: 'waiting' | 'mined' | 'failed' | 'gone';
  /** The block that it is in. */
  height: number | null;
}

/** What became of the lock, newest last. */
interface Happening {
  readonly what: 'created' | 'redeemed' | 'refunded';
  readonly by: string;
  readonly height: number;
}

const clientTx = '4d'.repeat(32);

/**
 * `isGone`: why what the lock is for is not there any more, null while it is. `isUnsure`: it may come again, and is
 * waited for. `onSigned`: what must not have happened before is looked at.
 */
export function ourLockIn(of: {
  readonly terms: Pick<EvmTargetTerms, 'lock' | 'burial'>;
  readonly dice: ReturnType<typeof diceOf>;
  readonly swap: () => Pick<Driver<unknown>, 'deliver' | 'fail'>;
  isGone(lock: EvmEffect): string | null;
  isUnsure?(lock: EvmEffect): boolean;
  onSigned(purpose: Ours['purpose']): void;
}) {
  const { terms: t, isGone, onSigned } = of;
  const { roll, unlucky } = of.dice;
  const swap: Pick<Driver<unknown>, 'deliver' | 'fail'> = {
    deliver: (event, at, done) => of.swap().deliver(event, at, done),
    fail: (sentence) => of.swap().fail(sentence),
  };
  let wall: number = start;
  let height = 1_000;
  let nonce = 0;
  let clientClaims = false;
  const queue: Ours[] = [];
  const happened: Happening[] = [];

  const now = (): Clocks => clocksOn(wall);
  const lockState = () => happened.at(-1)?.what ?? 'none';
  const depth = (at: number) => height - at + 1;

  function locks(): SeenLock[] {
    const created = happened.find(({ what }) => what === 'created');
    if (created === undefined) return [];
    const last = happened.at(-1) ?? created;
    const end = { txid: last.by, confirmations: depth(last.height) };
    const state: SeenLock['state'] =
      last.what === 'created'
        ? { is: 'active' }
        : last.what === 'redeemed'
          ? { is: 'redeemed', preimage, ...end }
          : { is: 'refunded', ...end };
    return [seenLock(state, { txid: created.by, height: created.height, confirmations: depth(created.height) })];
  }

  function sentState(id: string): SentState {
    const tx = queue.find((one) => one.id === id);
    if (tx === undefined) return swap.fail(`${id} is watched and was never sent`);
    if (tx.state === 'gone') return { is: 'gone' };
    if (tx.height === null) return { is: 'waiting', taken: id };
    return { is: 'mined', by: id, ok: tx.state === 'mined', confirmations: depth(tx.height), cost: 1n };
  }

  const lockOnItsWay = () => queue.some(({ purpose, state }) => purpose === 'lock' && state === 'waiting');
  const isClosed = () =>
    lockState() === 'refunded'
      ? depth(happened.at(-1)?.height ?? height) >= t.burial
      : lockState() === 'none' && !lockOnItsWay();

  /** Why the contract would refuse it now; null when it would not. */
  function refusal(purpose: Ours['purpose']): string | null {
    const state = lockState();
    if (purpose === 'lock') return state === 'none' ? null : 'SwapExists';
    if (state !== 'created') return 'SwapNotActive';
    return purpose === 'refund' && wall < Number(t.lock.timelock) ? 'TooEarly' : null;
  }

  /** Prepares, in one commit with the answer: what nobody wants any more is not saved. */
  function send(effect: EvmEffect, answerArrives: boolean): void {
    const purpose = effect.act.is;
    if (purpose !== 'lock' && purpose !== 'relay-claim' && purpose !== 'refund')
      return swap.fail(`nobody asked for ${purpose}`);
    const late = effect.onlyIf !== undefined && wall > effect.onlyIf.notAfter;
    const backing = purpose === 'lock' ? isGone(effect) : null;
    const against = refusal(purpose);
    const reason = late ? 'late' : backing !== null ? backing : unlucky() ? 'the token is paused' : null;
    if (!answerArrives || against === 'TooEarly') return;
    if (purpose === 'lock' && !late && of.isUnsure?.(effect) === true) return;
    // What takes back our own is never refused for good: it is tried again.
    if (reason !== null && purpose === 'refund') return;
    if (reason !== null) return void swap.deliver({ is: 'evm.refused', purpose, reason }, now(), effect);
    if (against !== null) return void swap.deliver({ is: 'evm.already-done', purpose }, now(), effect);
    const id = `${nonce}`.padStart(64, '0');
    if (swap.deliver({ is: 'evm.prepared', purpose, txid: id }, now(), effect) === 'stayed') return;
    nonce++;
    // A relay that failed in a block which went away may be mined once more: the second then costs its gas.
    const live = queue.some(
      (tx) =>
        tx.purpose === purpose &&
        (tx.state === 'waiting' || tx.state === 'mined') &&
        !(purpose === 'relay-claim' && tx.moved),
    );
    if (live) swap.fail(`a second ${purpose} is signed while the first may happen`);
    onSigned(purpose);
    queue.push({ id, purpose, sent: false, moved: false, state: 'waiting', height: null });
  }

  /** The next transactions of everybody are mined, ours in the order of their nonces. */
  function mine(): void {
    height++;
    if (clientClaims && lockState() === 'created' && roll(2) === 0)
      happened.push({ what: 'redeemed', by: clientTx, height });
    for (const tx of queue.filter(({ state }) => state === 'waiting')) {
      tx.sent = true;
      if (unlucky()) break;
      const refused = refusal(tx.purpose);
      const reverts = tx.purpose === 'relay-claim' && (unlucky() || (tx.moved && roll(2) === 1));
      tx.state = refused === null && !reverts ? 'mined' : 'failed';
      tx.height = height;
      const what = ({ lock: 'created', 'relay-claim': 'redeemed', refund: 'refunded' } as const)[tx.purpose];
      if (tx.state === 'mined') happened.push({ what, by: tx.id, height });
    }
  }

  /** Blocks that are not buried go away, and what was in them waits again. */
  function reorganise(): void {
    const from = height - roll(t.burial - 1);
    for (const tx of queue)
      if (tx.height !== null && tx.height >= from) {
        tx.height = null;
        tx.state = 'waiting';
        tx.moved = true;
      }
    while ((happened.at(-1)?.height ?? 0) >= from) happened.pop();
  }

  /** The account's queue gives up what was never sent: its nonce goes to nothing, for good. */
  function giveUp(): void {
    const tx = queue.find(({ state, sent }) => state === 'waiting' && !sent);
    if (tx !== undefined) tx.state = 'gone';
  }

  function pass(seconds: number): void {
    wall += seconds;
    height += Math.floor(seconds / 30);
  }

  function lookOf(watch: Watch): Event | null {
    switch (watch.on) {
      case 'evm-lock':
        return evmSeen(locks(), wall);
      case 'evm-sent':
        return { is: 'evm.sent', purpose: watch.purpose, txid: watch.txid, state: sentState(watch.txid) };
      default:
        return null;
    }
  }

  function requestClaim(): void {
    if (lockState() === 'created') swap.deliver(claimRequest, now());
  }

  return {
    now,
    wall: () => wall,
    pass,
    state: lockState,
    isClosed,
    lookOf,
    send,
    mine,
    reorganise,
    giveUp,
    requestClaim,
    /** From now on the client claims by itself. */
    claimAlone(): void {
      clientClaims = true;
    },
  };
}
