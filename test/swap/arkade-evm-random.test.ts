import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import type { SeenCoin } from '../../engine/legs/arkade/events.ts';
import type { EvmEffect } from '../../engine/legs/evm/effects.ts';
import type { SeenLock, SentState } from '../../engine/legs/evm/events.ts';
import type { Effect, Event, Watch } from '../../engine/swap/machine.ts';
import { arkadeEvmCase, arkadeEvmTerms as t, claimRequest, clocksOn, evmSeen, seenLock } from './arkade-evm-cases.ts';
import { coin, preimage, spentBy, start, txid } from './cases.ts';
import { diceOf, endings, type Games, gamesLimit } from './dice.ts';
import { drive } from './driver.ts';

/*
 * An honest operator and an honest EVM chain, which answer late, twice or not at all, lose blocks that are not buried,
 * and drop what was never sent; and a client who claims by itself and through us, and takes every refund it can get.
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

const games: Games = { runs: 6_000, throws: [30, 260], seed: 20_261 };
const clientTx = '4d'.repeat(32);

function play(numbers: readonly number[]): string {
  const { roll, left, unlucky } = diceOf(numbers);

  const rumours: Event[] = [];
  let wall: number = start;
  let height = 1_000;
  let nonce = 0;
  let clientClaims = false;
  let mayReveal = false;
  let lostToLocktime = false;
  let claim: 'none' | 'accepted' | 'final' = 'none';
  const queue: Ours[] = [];
  const happened: Happening[] = [];
  const funded: { outpoint: Outpoint; amount: bigint; spent: 'no' | 'claimed' | 'refunded'; signed: boolean }[] = [];

  const now = () => clocksOn(wall);
  const swap = drive(arkadeEvmCase.machine, t, arkadeEvmCase.first, [], (from, step) => {
    if (from.at === 'claiming' && step.effects.some((effect) => effect.do === 'evm.send'))
      return 'a claiming swap acts on the EVM chain';
    if (
      from.at === 'claimed' &&
      step.effects.some((effect) => effect.do !== 'evm.send' || effect.act.is !== 'relay-claim')
    )
      return 'a swap that took the VHTLC does something else than relay the claim';
    return null;
  });

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

  function coins(): SeenCoin[] {
    return funded.map(({ outpoint, amount, spent, signed }) =>
      coin({
        outpoint,
        amount: sats(amount),
        ...(spent === 'no'
          ? {}
          : spent === 'claimed'
            ? spentBy.ourClaim
            : signed
              ? spentBy.cosignedRefund
              : spentBy.refund),
      }),
    );
  }

  function lookOf(watch: Watch): Event {
    switch (watch.on) {
      case 'vhtlc':
        return { is: 'vhtlc.seen', coins: coins() };
      case 'evm-lock':
        return evmSeen(locks(), wall);
      case 'evm-sent':
        return { is: 'evm.sent', purpose: watch.purpose, txid: watch.txid, state: sentState(watch.txid) };
      default:
        return swap.fail(`nobody keeps the watch ${watch.on}`);
    }
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
    const backing = effect.onlyIf?.backing;
    if (purpose === 'lock' && backing === undefined) swap.fail('a lock without the coin that it is for');
    const spent =
      backing !== undefined &&
      funded.some(({ outpoint, spent }) => outpoint.txid === backing.outpoint.txid && spent !== 'no');
    const against = refusal(purpose);
    const reason = late ? 'late' : spent ? 'the coin is spent' : unlucky() ? 'the token is paused' : null;
    if (!answerArrives || against === 'TooEarly') return;
    // What takes back our own is never refused for good: it is tried again.
    if (reason !== null && purpose === 'refund') return;
    if (reason !== null) return void swap.deliver({ is: 'evm.refused', purpose, reason }, now(), effect);
    if (against !== null) return void swap.deliver({ is: 'evm.stands', purpose }, now(), effect);
    const id = `${nonce}`.padStart(64, '0');
    if (swap.deliver({ is: 'evm.prepared', purpose, txid: id }, now(), effect) === 'stayed') return;
    nonce++;
    const live = queue.some((tx) => tx.purpose === purpose && (tx.state === 'waiting' || tx.state === 'mined'));
    if (live) swap.fail(`a second ${purpose} is signed while the first may happen`);
    if (purpose === 'lock' && funded.some(({ signed }) => signed))
      swap.fail('a lock is signed after a refund of the client was');
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

  function act(effect: Effect): Event | null {
    const own = 'coin' in swap.progress ? swap.progress.coin : null;
    const theirs = funded.find(({ outpoint }) => outpoint.txid === own?.txid);
    switch (effect.do) {
      case 'vhtlc.claim':
        if (!mayReveal) swap.fail('the VHTLC is claimed although nobody saw the client claim');
        return theirs?.spent === 'no'
          ? { is: 'vhtlc.prepared', purpose: 'claim', txid: txid.claim, output: { txid: txid.claim, vout: 0 } }
          : { is: 'vhtlc.refused', purpose: 'claim', txid: null, why: 'spent', reason: 'spent' };
      case 'vhtlc.submit':
        if (theirs?.spent === 'refunded')
          return { is: 'vhtlc.refused', purpose: 'claim', txid: effect.txid, why: 'spent', reason: 'spent' };
        if (claim === 'none') claim = 'accepted';
        if (theirs !== undefined) theirs.spent = 'claimed';
        return { is: 'vhtlc.accepted', purpose: 'claim', txid: effect.txid };
      case 'vhtlc.finalize':
        claim = 'final';
        return { is: 'vhtlc.final', purpose: 'claim', txid: effect.txid };
      default:
        return swap.fail(`nobody asked for ${effect.do}`);
    }
  }

  function work(answerArrives: boolean): void {
    const effect = swap.next(roll);
    if (effect === undefined) return;
    if (effect.do === 'evm.send') return send(effect, answerArrives);
    const answer = act(effect);
    if (answer !== null && answerArrives) swap.deliver(answer, now(), effect);
  }

  function fund(): void {
    const amount = [t.sourceAmount, t.sourceAmount, t.sourceAmount + 1_002n, t.sourceAmount - 1n][roll(4)] ?? 330n;
    if (funded.length < 3)
      funded.push({
        outpoint: { txid: `${funded.length}`.padStart(64, 'f'), vout: 0 },
        amount,
        spent: 'no',
        signed: false,
      });
  }

  function askForSignature(): void {
    const unspent = funded.filter(({ spent }) => spent === 'no');
    const points = unspent.map(({ outpoint }) => outpoint);
    if (swap.deliver({ is: 'refund.cosign.requested', coins: points }, now()) === 'stayed') return;
    const used = 'coin' in swap.progress ? swap.progress.coin.txid : null;
    if (!isClosed() && unspent.some(({ outpoint }) => outpoint.txid !== used) && used === null)
      swap.fail(`a refund of the client is signed while our lock is ${lockState()}`);
    for (const one of unspent) one.signed = true;
  }

  function takeRefund(): void {
    const alone = (now().bitcoin.mtp ?? 0) > t.vhtlc.refundLocktime;
    for (const one of funded) {
      if (one.spent !== 'no' || !(one.signed || alone)) continue;
      if (!one.signed) lostToLocktime = true;
      one.spent = 'refunded';
    }
  }

  function requestClaim(): void {
    if (lockState() === 'created') swap.deliver(claimRequest, now());
  }

  /** Everything that could be told now; some of it is heard late, twice or never. */
  function look(): void {
    rumours.push(...swap.watches.map(lookOf));
    mayReveal ||= lockState() === 'redeemed';
  }

  function pass(seconds: number): void {
    wall += seconds;
    height += Math.floor(seconds / 30);
  }

  while (left()) {
    switch (roll(14)) {
      case 0:
        pass([1, 30, 300, 1_800, 14_400, 43_200][roll(6)] ?? 1);
        break;
      case 1:
        if (roll(2) === 0) fund();
        break;
      case 2:
      case 3:
        look();
        break;
      case 4:
        swap.deliver({ is: 'clock' }, now());
        break;
      case 5:
        if (roll(3) === 0) askForSignature();
        break;
      case 6:
        if (roll(2) === 0) takeRefund();
        break;
      case 7: {
        const event = rumours.at(-1 - roll(Math.min(8, Math.max(1, rumours.length))));
        if (event !== undefined) swap.deliver(event, now());
        break;
      }
      case 8:
        mine();
        break;
      case 9:
        if (roll(2) === 0) requestClaim();
        else if (lockState() === 'created' && roll(2) === 0) clientClaims = true;
        break;
      case 10:
        if (roll(3) === 0) reorganise();
        else if (roll(6) === 0) giveUp();
        break;
      case 11: {
        look();
        for (const event of swap.watches.map(lookOf)) swap.deliver(event, now());
        break;
      }
      default:
        work(roll(4) > 0);
    }
  }
  for (let i = 0; i < 80 && swap.open(); i++) {
    pass(i > 20 ? 7_200 : 60);
    work(true);
    mine();
    look();
    for (const event of swap.watches.map(lookOf)) swap.deliver(event, now());
    swap.deliver({ is: 'clock' }, now());
    // What a reorganisation took is asked for once more, and where relays fail claimed by the client itself.
    if (swap.progress.at === 'claimed') requestClaim();
    clientClaims ||= swap.progress.at === 'claimed' && i > 60;
    if (i > 40) askForSignature();
    if (i > 40) takeRefund();
  }
  if (swap.open()) swap.fail(`the swap never ended, it is ${swap.progress.at}`);
  // What was sent is mined again wherever a block of it was lost, whatever became of the swap.
  for (let i = 0; i < 20; i++) mine();
  const claimed = funded.filter(({ spent }) => spent === 'claimed').length;
  if (claimed > 1) swap.fail('more than one coin of the client was claimed');
  if (claimed === 1 && lockState() !== 'redeemed') swap.fail('both legs are ours');
  if (claimed === 0 && lockState() === 'redeemed' && !lostToLocktime) swap.fail('the client has both legs');
  if (lockState() === 'created' && claimed === 0) swap.fail('our lock is left lying');
  const ended = swap.progress.at;
  askForSignature();
  wall += t.vhtlc.refundWithoutReceiverDelay;
  takeRefund();
  if (funded.some(({ spent }) => spent === 'no')) swap.fail('a coin of the client is left lying');
  return ended;
}

test('arkade to evm: no run ends with both legs in one hand, and every ending is reached', gamesLimit, () => {
  expect(endings(play, games)).toEqual(['claimed', 'lapsed', 'lost', 'refunded', 'returned', 'stopped']);
});
