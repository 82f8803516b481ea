import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { height as heightOf, unix, type Clocks } from '../../engine/domain/time.ts';
import type { HoldState } from '../../engine/legs/lightning/port.ts';
import { stopLine } from '../../engine/legs/lightning/timelocks.ts';
import { burialDepth } from '../../engine/legs/onchain/depth.ts';
import type { SeenHtlcSpend } from '../../engine/legs/onchain/events.ts';
import { openingEffects } from '../../engine/swap/halves/lightning/hold/waiting.ts';
import type { Effect, Event, Watch } from '../../engine/swap/machine.ts';
import { preimage, start, startHeight } from './cases.ts';
import { diceOf, endings, type Games, gamesLimit } from './dice.ts';
import { drive } from './driver.ts';
import { lookAtHtlc, output, payment, seenCoin } from './evm-bitcoin-cases.ts';
import { expiryHeight, lightningBitcoinCase as one, lightningBitcoinTerms as t } from './lightning-bitcoin-cases.ts';

/*
 * An honest Lightning node beside an honest Bitcoin chain, which answer late, twice or not at all, lose blocks that are
 * not buried and drop what waits; and a client that pays, claims by its script or asks for our signature, or does
 * nothing.
 */

const tooLate = { is: 'onchain.refused', leg: 'bitcoin', txid: payment.txid, why: 'late', reason: 'late' } as const;

const fundingIsFinal = { is: 'onchain.final', leg: 'bitcoin', txid: payment.txid, fee: sats(300) } as const;

/** A spend of our coin: `none` has nobody. */
interface Spend {
  readonly id: string;
  readonly kind: 'claim' | 'refund' | 'key';
  where: 'none' | 'mempool' | number;
}

const games: Games = { runs: 4_000, throws: [40, 300], seed: 20_262 };
const { refundHeight } = t.htlc as { readonly refundHeight: number };

function play(numbers: readonly number[]): string {
  const { roll, left, unlucky } = diceOf(numbers);
  const rumours: Event[] = [];
  let wall: number = start;
  let height = startHeight;
  let hold = 'absent' as HoldState['is'];
  let isTooLate = false;
  let counter = 0;
  /** The machine heard of the client's claim, or gave its signature for one. */
  let isShown = false;
  let isGiven = false;
  let flagged = '';
  let funding: 'unsigned' | 'none' | 'mempool' | 'dead' | number = 'unsigned';
  let isFundingTold = false;
  const spends: Spend[] = [];

  const now = (): Clocks => ({ wall: unix(wall), bitcoin: { mtp: unix(wall - 1_800), height: heightOf(height) } });
  const swap = drive(one.machine, t, one.first, openingEffects(t), (_, step) => {
    if (step.flag !== undefined) flagged += `${step.flag}\n`;
    const takesBack = step.effects.some((effect) => effect.do === 'htlc.spend');
    return takesBack && isShown && step.progress.at !== 'lost' ? 'our coin is taken back although it is claimed' : null;
  });

  const isThere = (): boolean => funding === 'mempool' || typeof funding === 'number';
  const buriedAt = (where: unknown): boolean => typeof where === 'number' && height - where + 1 >= burialDepth;
  const mined = (): Spend | undefined => spends.find(({ where }) => typeof where === 'number');
  const id = (letter: string): string => `${counter++}`.padStart(64, letter);

  function shown({ id: txid, kind, where }: Spend): SeenHtlcSpend {
    const at = { txid, height: typeof where === 'number' ? where : null };
    const bytes = new Uint8Array(3);
    if (kind === 'claim') return { ...at, by: 'claim', preimage, bytes };
    return kind === 'refund' ? { ...at, by: 'refund' } : { ...at, by: 'key', purpose: 'claim', bytes };
  }

  function coinLook(): Event {
    if (!isThere()) return { ...lookAtHtlc(), height, mtp: unix(wall - 1_800), asked: unix(wall) };
    const wait = spends.filter(({ where }) => where === 'mempool');
    const spend = mined() ?? wait[wait.length > 1 ? roll(wait.length) : 0];
    const coin = seenCoin({
      height: typeof funding === 'number' ? funding : null,
      spend: spend === undefined ? null : shown(spend),
    });
    return { ...lookAtHtlc(coin), height, mtp: unix(wall - 1_800), asked: unix(wall) };
  }

  function holdState(): HoldState {
    return hold === 'held'
      ? { is: 'held', amount: t.sourceAmount, smallest: t.sourceAmount, expiryHeight }
      : { is: hold };
  }

  function lookOf(watch: Watch): Event {
    if (watch.on === 'hold') return { is: 'hold.seen', state: holdState() };
    return watch.on === 'htlc' ? coinLook() : swap.fail(`nobody keeps the watch ${watch.on}`);
  }

  function hear(event: Event): void {
    isShown ||= event.is === 'htlc.seen' && event.coins.some(({ spend }) => spend?.by === 'claim');
    swap.deliver(event, now());
  }

  /** Nothing of ours can reach the client any more. */
  function isClosed(): boolean {
    const back = spends.find(({ kind, where }) => kind === 'refund' && buriedAt(where));
    return funding === 'unsigned' || funding === 'dead' || back !== undefined;
  }

  function ofLightning(effect: Effect): Event | null {
    switch (effect.do) {
      case 'hold.create':
        if (hold === 'absent') hold = 'open';
        return { is: 'hold.created', bolt11: 'lnbcrt1', expiresAt: t.fundBefore };
      case 'hold.cancel':
        if (hold === 'settled') swap.fail('a settled invoice was cancelled');
        if (!isClosed() && !isTooLate) swap.fail('the hold invoice was cancelled while our coin is out');
        if (hold !== 'absent') hold = 'cancelled';
        return { is: 'hold.cancelled' };
      case 'hold.settle':
        if (!isShown && !isGiven) swap.fail('the payment is settled although nobody saw a claim');
        if (hold === 'held') hold = 'settled';
        return hold === 'settled' ? { is: 'hold.settled' } : { is: 'hold.seen', state: holdState() };
      default:
        return null;
    }
  }

  function fund(effect: Effect & { do: 'onchain.broadcast' }): Event | null {
    if (funding === 'dead') return tooLate;
    if (funding === 'unsigned') return { is: 'clock' };
    if (buriedAt(funding)) return isFundingTold ? { is: 'clock' } : fundingIsFinal;
    if (effect.onlyIf !== undefined && funding === 'none') {
      if (effect.onlyIf.heldForCoin === undefined) swap.fail('a funding without the payment that it is for');
      if (hold !== 'held' || wall - 1_800 > effect.onlyIf.notAfter) {
        funding = 'dead';
        return tooLate;
      }
    }
    if (funding === 'none') funding = 'mempool';
    return null;
  }

  function keep(txid: string): Event | null {
    const own = spends.find((spend) => spend.id === txid) ?? swap.fail(`${txid} was never signed`);
    const first = mined();
    if (first !== undefined && buriedAt(first.where))
      return first.kind === 'refund'
        ? { is: 'onchain.final', leg: 'bitcoin', txid: first.id, fee: sats(200) }
        : { is: 'onchain.refused', leg: 'bitcoin', txid, why: 'spent', reason: 'claimed' };
    if (first !== undefined || !isThere() || height < refundHeight) return null;
    // It yields to a claim that shows the secret.
    if (spends.some(({ kind, where }) => kind === 'claim' && where === 'mempool')) return null;
    if (own.where === 'none') own.where = 'mempool';
    return unlucky() ? { is: 'onchain.stuck', leg: 'bitcoin', txid, leastRate: 4 } : null;
  }

  function ofBitcoin(effect: Effect): Event | null {
    switch (effect.do) {
      case 'htlc.fund':
        if (funding !== 'unsigned') swap.fail('a second funding is signed');
        if (unlucky()) return { is: 'htlc.refused', reason: 'the wallet is empty' };
        return { is: 'htlc.prepared', payment, output, height };
      case 'htlc.spend': {
        if (isGiven) return null; // fenced outside of the machine
        if (height < refundHeight) swap.fail('a refund is signed before its height');
        if (isShown && swap.progress.at !== 'lost') swap.fail('a refund is signed although the claim was seen');
        const txid = id('b');
        spends.push({ id: txid, kind: 'refund', where: 'none' });
        const ours = { leg: 'bitcoin', purpose: 'refund', txid, amount: t.targetAmount } as const;
        return { is: 'onchain.prepared', ...ours, rate: 2, capped: false, height };
      }
      case 'htlc.resend': {
        const claim = spends.findLast(({ kind }) => kind === 'claim');
        if (funding === 'none') funding = 'mempool';
        if (claim?.where === 'none' && isThere() && mined() === undefined) claim.where = 'mempool';
        const first = mined();
        if (first === undefined || !buriedAt(first.where)) return null;
        return isFundingTold ? { is: 'clock' } : fundingIsFinal;
      }
      case 'onchain.broadcast':
        return effect.txid === payment.txid ? fund(effect) : keep(effect.txid);
      default:
        return swap.fail(`nobody asked for ${effect.do}`);
    }
  }

  function work(answerArrives: boolean): void {
    const effect = swap.next(roll);
    if (effect === undefined) return;
    const answer = ofLightning(effect) ?? ofBitcoin(effect);
    if (answer === null || !answerArrives) return;
    const moved = swap.deliver(answer, now(), effect) === 'moved';
    isFundingTold ||= answer === fundingIsFinal;
    if (answer.is === 'htlc.prepared' && moved) funding = 'none';
  }

  function pay(): void {
    if (hold === 'open' && wall < t.fundBefore && 'bolt11' in swap.progress) hold = 'held';
  }

  /** lnd cancels by itself; where the node slept until then, nobody could help. */
  function timeOut(): void {
    if (hold !== 'held' || height < stopLine(expiryHeight, t.policy) + t.policy.reactionBlocks) return;
    hold = 'cancelled';
    isTooLate = true;
  }

  function claim(): void {
    if (!isThere() || mined() !== undefined) return;
    const before = spends.findLast(({ kind }) => kind === 'claim');
    if (before?.where === 'none') before.where = 'mempool';
    else if (before === undefined) spends.push({ id: id('c'), kind: 'claim', where: 'mempool' });
  }

  /** What is noted counts as given, whether or not the client uses it. */
  function askForSignature(): void {
    const ask = { purpose: 'claim', coin: output, preimage } as const;
    if (spends.some(({ kind }) => kind === 'refund')) return; // noted outside of the machine
    if (one.machine.step(t, swap.progress, { is: 'cosign.asked', ...ask }, now()) === 'stay') return;
    isGiven = true;
    swap.deliver({ is: 'cosign.given', ...ask, txid: 'ab'.repeat(32), bytes: new Uint8Array(60) }, now());
    if (roll(2) === 0 && isThere() && mined() === undefined)
      spends.push({ id: id('d'), kind: 'key', where: 'mempool' });
  }

  function mine(): void {
    height++;
    if (funding === 'mempool' && !unlucky()) funding = height;
    if (typeof funding !== 'number' || mined() !== undefined) return;
    const wait = spends.filter(({ where }) => where === 'mempool');
    const first = wait[wait.length > 1 ? roll(wait.length) : 0];
    if (first === undefined || unlucky()) return;
    first.where = height;
    for (const rival of wait) if (rival !== first) rival.where = 'none';
  }

  function reorganise(): void {
    const from = height - roll(burialDepth - 1);
    if (typeof funding === 'number' && funding >= from) funding = roll(3) === 0 ? 'none' : 'mempool';
    for (const spend of spends)
      if (typeof spend.where === 'number' && spend.where >= from)
        spend.where = roll(3) === 0 || !isThere() ? 'none' : 'mempool';
    evict();
  }

  /** Without its parent nothing waits. */
  function evict(): void {
    if (funding === 'mempool' && unlucky()) funding = 'none';
    for (const spend of spends) if (spend.where === 'mempool' && (!isThere() || unlucky())) spend.where = 'none';
  }

  function pass(seconds: number): void {
    wall += seconds;
    for (let i = 0; i < Math.min(12, Math.floor(seconds / 600)); i++) mine();
    height += Math.max(0, Math.floor(seconds / 600) - 12);
  }

  function lookAtAll(): void {
    for (const event of swap.watches.map(lookOf)) hear(event);
  }

  while (left()) {
    switch (roll(14)) {
      case 0:
        pass([1, 30, 600, 1_800, 14_400, 43_200][roll(6)] ?? 1);
        timeOut();
        break;
      case 1:
      case 2:
        pay();
        break;
      case 3:
        rumours.push(...swap.watches.map(lookOf));
        break;
      case 4:
        swap.deliver({ is: 'clock' }, now());
        break;
      case 5:
        if (roll(3) === 0) claim();
        else if (roll(3) === 0) askForSignature();
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
        else evict();
        break;
      case 9:
      case 10:
        lookAtAll();
        break;
      default:
        work(roll(4) > 0);
    }
  }
  for (let i = 0; i < 150 && swap.open(); i++) {
    pass(i > 60 ? 7_200 : 600);
    timeOut();
    for (let j = 0; j < 3; j++) work(true);
    lookAtAll();
    swap.deliver({ is: 'clock' }, now());
    if (isGiven && mined() === undefined && isThere()) spends.push({ id: id('d'), kind: 'key', where: 'mempool' });
  }
  if (swap.open()) swap.fail(`the swap never ended, it is ${swap.progress.at}`);
  const has = mined()?.kind ?? null;
  const isTheirs = has === 'claim' || has === 'key';
  if (hold === 'settled' && !isTheirs && !isGiven && !flagged.includes('Both legs of this swap are ours'))
    swap.fail(`the payment is ours, and the coin ${has}, and nobody is told`);
  if (hold !== 'settled' && isTheirs && !isTooLate) swap.fail(`the coin is claimed, the payment ${hold}`);
  if (hold === 'held') swap.fail('the payment is held for ever');
  if (isThere() && has === null && !isGiven) swap.fail('our coin is left lying');
  return swap.progress.at;
}

test('lightning to bitcoin: no run ends with both legs in one hand, and every ending is reached', gamesLimit, () => {
  expect(endings(play, games)).toEqual(['claimed', 'lapsed', 'lost', 'refunded', 'stopped', 'unopened']);
});
