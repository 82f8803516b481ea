import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { unix, type Clocks } from '../../engine/domain/time.ts';
import type { SeenCoin } from '../../engine/legs/arkade/events.ts';
import { burialDepth } from '../../engine/legs/onchain/depth.ts';
import type { SeenHtlcSpend } from '../../engine/legs/onchain/events.ts';
import { safeToFundForVhtlc } from '../../engine/legs/safety/lock.ts';
import type { Effect, Event, Watch } from '../../engine/swap/machine.ts';
import { arkadeBitcoinCase, arkadeBitcoinTerms as t } from './arkade-bitcoin-cases.ts';
import { coin, preimage, spentBy, start, startHeight, txid } from './cases.ts';
import { diceOf, endings, type Games, gamesLimit } from './dice.ts';
import { drive } from './driver.ts';
import { lookAtHtlc, output, payment, seenCoin } from './evm-bitcoin-cases.ts';

/*
 * An honest operator and an honest chain, which answer late, twice or not at all; blocks that come fast or slowly, that
 * are lost again, and a mempool that drops what waits; nodes that hold different spends of one coin; and a client who
 * claims by the script or by the key of both, and takes every refund that it can get.
 */

/** A transaction on the Bitcoin chain: `none` has nobody, and `dead` never had anybody. */
interface BitcoinTx {
  readonly id: string;
  readonly kind: 'fund' | 'refund' | 'claim' | 'joint';
  where: 'none' | 'mempool' | 'dead' | number;
  sent: boolean;
}

interface Funded {
  readonly outpoint: Outpoint;
  readonly amount: bigint;
  spent: 'no' | 'claimed' | 'refunded';
  signed: boolean;
}

const games: Games = { runs: 1_500, throws: [30, 300], seed: 20_263, asPlayed: true };
const { refundHeight } = t.htlc;
const { refundLocktime } = t.vhtlc;

function play(numbers: readonly number[]): string {
  const { roll, left, unlucky } = diceOf(numbers);
  const interval = [450, 600, 750][roll(3)] ?? 600;
  const rumours: Event[] = [];
  let wall: number = start;
  let mtp: number = start - 1_800;
  let height = startHeight;
  let counter = 0;
  /** The secret is public, or ours by the client's own word. */
  let mayReveal = false;
  let hasClaim = false;
  let isGiven = false;
  let isTold = false;
  /** A race of refund and claim that was not over when the VHTLC was about to open. */
  let outlasted = false;
  let lostToLocktime = false;
  let flagged = '';
  const lazy = roll(4) === 0;
  const bitcoin: BitcoinTx[] = [];
  const coins: Funded[] = [];

  const now = (): Clocks => ({ wall: unix(wall), bitcoin: { mtp: unix(mtp), height } });
  const swap = drive(arkadeBitcoinCase.machine, t, arkadeBitcoinCase.first, [], (from, step) => {
    if (step.flag !== undefined) flagged += `${step.flag}\n`;
    const { progress: to } = step;
    const isNear = mtp + t.policy.mtpLag + t.policy.margin / 2 >= refundLocktime;
    outlasted ||= isNear && from.at === 'refunding' && to.at === 'claiming' && to.end === null;
    const takes = step.effects.some((effect) => effect.do === 'htlc.spend');
    if (takes && isGiven) return 'our coin is taken back although our signature gave it away';
    if (takes && hasClaim && to.at !== 'lost') return 'our coin is taken back although its claim was seen';
    return null;
  });

  const id = (letter: string) => `${counter++}`.padStart(64, letter);
  const funding = () => bitcoin.find(({ kind }) => kind === 'fund');
  const spends = () => bitcoin.filter(({ kind }) => kind !== 'fund');
  const isMined = ({ where }: BitcoinTx): boolean => typeof where === 'number';
  const isThere = (tx: BitcoinTx | undefined): boolean => tx !== undefined && (tx.where === 'mempool' || isMined(tx));
  const isBuried = ({ where }: BitcoinTx): boolean => typeof where === 'number' && height - where + 1 >= burialDepth;
  const minedSpend = () => spends().find(isMined);

  function hear(event: Event): void {
    hasClaim ||= event.is === 'htlc.seen' && event.coins.some(({ spend }) => spend?.by === 'claim');
    swap.deliver(event, now());
  }

  function takingOf({ id: by, kind, where }: BitcoinTx): SeenHtlcSpend {
    const at = { txid: by, height: typeof where === 'number' ? where : null };
    const bytes = new Uint8Array(3);
    if (kind === 'refund') return { ...at, by: 'refund' };
    return kind === 'claim' ? { ...at, by: 'claim', preimage, bytes } : { ...at, by: 'key', purpose: 'claim', bytes };
  }

  function coinLook(): Event {
    const fund = funding();
    if (fund === undefined || !isThere(fund)) return { ...lookAtHtlc(), height, mtp: unix(mtp) };
    const waiting = spends().filter(({ where }) => where === 'mempool');
    // Nodes differ in which of two spends they hold.
    const spend = minedSpend() ?? waiting[waiting.length > 1 ? roll(waiting.length) : 0];
    mayReveal ||= spend?.kind === 'claim';
    const at = typeof fund.where === 'number' ? fund.where : null;
    const look = seenCoin({ height: at, spend: spend === undefined ? null : takingOf(spend) });
    return { ...lookAtHtlc(look), height, mtp: unix(mtp) };
  }

  function vhtlcCoins(): SeenCoin[] {
    return coins.map(({ outpoint, amount, spent, signed }) => {
      const back = signed ? spentBy.cosignedRefund : spentBy.refund;
      return coin({
        outpoint,
        amount: sats(amount),
        ...(spent === 'no' ? {} : spent === 'claimed' ? spentBy.ourClaim : back),
      });
    });
  }

  function lookOf(watch: Watch): Event {
    switch (watch.on) {
      case 'htlc':
        return coinLook();
      case 'vhtlc':
        return { is: 'vhtlc.seen', coins: vhtlcCoins() };
      default:
        return swap.fail(`nobody keeps the watch ${watch.on}`);
    }
  }

  /** Nothing of ours can reach the client any more. */
  function isClosed(): boolean {
    const fund = funding();
    if (fund === undefined || fund.where === 'dead') return true;
    // Refused, and nobody showed it for a day after it could be taken back: nobody has it.
    if (fund.where === 'none' && height >= refundHeight + 144) return true;
    return spends().some((tx) => tx.kind === 'refund' && isBuried(tx));
  }

  function mineBitcoin(): void {
    height++;
    const fund = funding();
    if (fund?.where === 'mempool' && !unlucky()) fund.where = height;
    if (fund === undefined || !isMined(fund) || minedSpend() !== undefined) return;
    const waiting = spends().filter(({ where }) => where === 'mempool');
    const tx = waiting[waiting.length > 1 ? roll(waiting.length) : 0];
    if (tx === undefined || unlucky()) return;
    tx.where = height;
    for (const rival of waiting) if (rival !== tx) rival.where = 'none';
  }

  /** Blocks that are not buried go away, and what was in them waits again. */
  function reorganise(): void {
    const from = height - roll(burialDepth - 1);
    for (const tx of bitcoin)
      if (typeof tx.where === 'number' && tx.where >= from) tx.where = roll(3) === 0 ? 'none' : 'mempool';
    dropOrphans();
  }

  /** Without its parent nothing waits. */
  function dropOrphans(): void {
    if (!isThere(funding())) for (const tx of spends()) if (tx.where === 'mempool') tx.where = 'none';
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
    const final = (fee: bigint): Event => ({ is: 'onchain.final', leg: 'bitcoin', txid: tx.id, fee: sats(fee) });
    if (isBuried(tx)) {
      if (!answerArrives) return;
      swap.deliver(tx.kind === 'fund' && isTold ? { is: 'clock' } : final(300n), now(), effect);
      isTold ||= tx.kind === 'fund';
      return;
    }
    if (tx.kind === 'refund') return sendRefund(effect, tx, answerArrives);
    if (!tx.sent && effect.onlyIf === undefined) swap.fail('a funding is sent that nobody judged');
    if (!tx.sent && !maySend(effect, tx)) return;
    // One node refuses what another one has; what was sent before waits for it.
    const isRefused = !tx.sent && roll(10) === 0;
    tx.sent = true;
    if (tx.where === 'none' && !(isRefused && roll(2) === 0)) tx.where = 'mempool';
    const about = { leg: 'bitcoin', txid: tx.id, reason: 'bad-txns' } as const;
    if (isRefused && answerArrives) swap.deliver({ is: 'onchain.refused', why: 'refused', ...about }, now(), effect);
  }

  function sendRefund(effect: Effect, tx: BitcoinTx, answerArrives: boolean): void {
    const spend = minedSpend();
    if (spend !== undefined && spend !== tx && isBuried(spend)) {
      const about = { leg: 'bitcoin', txid: spend.kind === 'refund' ? spend.id : tx.id } as const;
      const event: Event =
        spend.kind === 'refund'
          ? { is: 'onchain.final', fee: sats(200), ...about }
          : { is: 'onchain.refused', why: 'spent', reason: 'somebody else', ...about };
      if (answerArrives) swap.deliver(event, now(), effect);
      return;
    }
    if (height < refundHeight || !isThere(funding()) || spend !== undefined) return;
    if (tx.where === 'none') tx.where = 'mempool';
    if (unlucky() && answerArrives)
      swap.deliver({ is: 'onchain.stuck', leg: 'bitcoin', txid: tx.id, leastRate: 4 }, now(), effect);
  }

  /** Before it is sent for the first time the coin must still be there, and for long enough. */
  function maySend(effect: Effect & { do: 'onchain.broadcast' }, tx: BitcoinTx): boolean {
    const backing = effect.onlyIf?.backingForCoin;
    if (backing === undefined) return swap.fail('a funding without the VHTLC that it is for');
    const theirs = coins.find(({ outpoint }) => outpoint.txid === backing.outpoint.txid);
    if (theirs?.signed === true) swap.fail('a funding is sent after the refund of what it is for was signed');
    const spent = theirs?.spent !== 'no';
    const safety = safeToFundForVhtlc(
      { ...backing, coin: coin({ amount: sats(theirs?.amount ?? 0n), spent }) },
      now(),
      backing.policy,
    );
    if (mtp <= (effect.onlyIf?.notAfter ?? 0) && safety?.unsafe !== 'never') return safety === null;
    tx.where = 'dead';
    const about = { leg: 'bitcoin', txid: tx.id, reason: 'too late' } as const;
    swap.deliver({ is: 'onchain.refused', why: 'late', ...about }, now(), effect);
    return false;
  }

  function onArkade(effect: Effect): Event {
    const own = 'coin' in swap.progress ? swap.progress.coin : null;
    const theirs = coins.find(({ outpoint }) => outpoint.txid === own?.txid);
    const refused = (id_: string | null): Event => ({
      is: 'vhtlc.refused',
      purpose: 'claim',
      txid: id_,
      why: 'spent',
      reason: 'spent',
    });
    switch (effect.do) {
      case 'vhtlc.claim':
        if (!mayReveal) swap.fail('the VHTLC is claimed although nobody showed the secret');
        return theirs?.spent === 'no'
          ? { is: 'vhtlc.prepared', purpose: 'claim', txid: txid.claim, output: { txid: txid.claim, vout: 0 } }
          : refused(null);
      case 'vhtlc.submit':
        if (theirs === undefined || theirs.spent === 'refunded') return refused(effect.txid);
        theirs.spent = 'claimed';
        return { is: 'vhtlc.accepted', purpose: 'claim', txid: effect.txid };
      case 'vhtlc.finalize':
        return { is: 'vhtlc.final', purpose: 'claim', txid: effect.txid };
      default:
        return swap.fail(`nobody asked for ${effect.do}`);
    }
  }

  function resend(effect: Effect, answerArrives: boolean): void {
    const end = minedSpend();
    if (end !== undefined && isBuried(end)) {
      if (answerArrives) swap.deliver({ is: 'clock' }, now(), effect);
      return;
    }
    const fund = funding();
    const claim = spends().findLast(({ kind }) => kind === 'claim' || kind === 'joint');
    if (fund?.where === 'none') fund.where = 'mempool';
    if (claim?.where === 'none' && isThere(fund) && end === undefined) claim.where = 'mempool';
  }

  function prepareRefund(effect: Effect, answerArrives: boolean): void {
    if (height < refundHeight) swap.fail('a refund is signed before its height');
    if (isGiven) swap.fail('a refund is signed although our signature gave the coin away');
    const by = id('b');
    const made = { leg: 'bitcoin', purpose: 'refund', txid: by, amount: t.targetAmount, rate: 2 } as const;
    const event: Event = { is: 'onchain.prepared', ...made, capped: false, height };
    if (answerArrives && swap.deliver(event, now(), effect) === 'moved')
      bitcoin.push({ id: by, kind: 'refund', where: 'none', sent: false });
  }

  function work(answerArrives: boolean): void {
    const effect = swap.next(roll);
    if (effect === undefined) return;
    switch (effect.do) {
      case 'onchain.broadcast':
        return broadcast(effect, answerArrives);
      case 'htlc.resend':
        return resend(effect, answerArrives);
      case 'htlc.fund':
        if (!answerArrives) return;
        if (unlucky()) return void swap.deliver({ is: 'htlc.refused', reason: 'the wallet is empty' }, now(), effect);
        if (funding() !== undefined && funding()?.where !== 'dead') swap.fail('a second funding is signed');
        if (swap.deliver({ is: 'htlc.prepared', payment, output, height }, now(), effect) === 'moved')
          bitcoin.push({ id: payment.txid, kind: 'fund', where: 'none', sent: false });
        return;
      case 'htlc.spend':
        return prepareRefund(effect, answerArrives);
      default: {
        const event = onArkade(effect);
        if (answerArrives) swap.deliver(event, now(), effect);
      }
    }
  }

  function fund(): void {
    const amount = [t.sourceAmount, t.sourceAmount, t.sourceAmount + 1_002n, t.sourceAmount - 1n][roll(4)] ?? 330n;
    const outpoint = { txid: `${coins.length}`.padStart(64, 'f'), vout: 0 };
    if (coins.length < 3) coins.push({ outpoint, amount, spent: 'no', signed: false });
  }

  /** The client claims our coin by its first or by another transaction. */
  function claimCoin(): void {
    if (!isThere(funding()) || minedSpend() !== undefined) return;
    const before = spends().findLast(({ kind }) => kind === 'claim');
    if (before?.where === 'mempool' && roll(3) > 0) return;
    if (before?.where === 'mempool') before.where = 'none';
    bitcoin.push({ id: id('c'), kind: isGiven && roll(2) === 0 ? 'joint' : 'claim', where: 'mempool', sent: true });
  }

  /** Our signature on its claim, which is given by a commit and answered after it. */
  function askForClaim(): void {
    const claim = { purpose: 'claim', coin: output, preimage } as const;
    const isSigned = spends().some(({ kind }) => kind === 'refund');
    const ask: Event = { is: 'cosign.asked', ...claim };
    if (arkadeBitcoinCase.machine.step(t, swap.progress, ask, now()) === 'stay') return;
    if (isSigned) swap.fail('our signature is given beside a refund of ours');
    if (coins.every(({ spent }) => spent === 'refunded')) swap.fail('our signature is given for nothing');
    mayReveal = true;
    isGiven = true;
    swap.deliver({ is: 'cosign.given', ...claim, txid: id('d'), bytes: new Uint8Array(90) }, now());
  }

  function askForRefund(): void {
    const unspent = coins.filter(({ spent }) => spent === 'no');
    const points = unspent.map(({ outpoint }) => outpoint);
    if (swap.deliver({ is: 'refund.cosign.requested', coins: points }, now()) === 'stayed') return;
    const used = 'coin' in swap.progress ? swap.progress.coin.txid : null;
    if (used === null && unspent.length > 0 && !isClosed())
      swap.fail(`a refund of the client is signed while our coin is out`);
    for (const one of unspent) one.signed = true;
  }

  function takeRefund(): void {
    const alone = mtp > refundLocktime;
    for (const one of coins) {
      if (one.spent !== 'no' || !(one.signed || alone)) continue;
      if (!one.signed) lostToLocktime = true;
      one.spent = 'refunded';
    }
  }

  function pass(seconds: number): void {
    const end = wall + seconds;
    while (wall + interval < end) {
      wall += interval;
      mineBitcoin();
    }
    wall = end;
    mtp = Math.max(mtp, wall - Math.min(t.policy.mtpLag, [0, 1_800, 7_200][roll(3)] ?? 0));
  }

  function hearAll(): void {
    for (const event of swap.watches.map(lookOf)) hear(event);
  }

  // Half of the games begin with our coin out, and some with our refund on its way: what comes then is longer.
  if (roll(2) === 0) {
    coins.push({
      outpoint: { txid: '0'.padStart(64, 'f'), vout: 0 },
      amount: t.sourceAmount,
      spent: 'no',
      signed: false,
    });
    for (let i = 0; i < 3; i++) {
      hearAll();
      work(true);
    }
    if (roll(2) === 0) {
      while (height < refundHeight + 2) mineBitcoin();
      hear({ is: 'clock' });
      work(true);
      work(true);
    }
  }
  const acts: readonly (() => void)[] = [
    () => pass([1, 30, 300, 1_800, 14_400, 43_200][roll(6)] ?? 1),
    () => roll(2) === 0 && fund(),
    () => void rumours.push(...swap.watches.map(lookOf)),
    () => hear({ is: 'clock' }),
    () => roll(3) === 0 && askForRefund(),
    () => roll(3) === 0 && takeRefund(),
    () => {
      const event = rumours.at(-1 - roll(Math.min(8, Math.max(1, rumours.length))));
      if (event !== undefined) hear(event);
    },
    mineBitcoin,
    () => roll(2) === 0 && claimCoin(),
    () => roll(3) === 0 && askForClaim(),
    reorganise,
    evict,
    hearAll,
    hearAll,
    () => work(roll(4) > 0),
    () => work(roll(4) > 0),
  ];
  while (left()) acts[roll(acts.length)]?.();
  for (let i = 0; i < 150 && swap.open(); i++) {
    pass(i > 60 ? 7_200 : 60);
    for (let j = 0; j < 4; j++) work(true);
    mineBitcoin();
    hearAll();
    hear({ is: 'clock' });
    // Who has our signature uses it.
    if (isGiven && i > 20) claimCoin();
    if (i > 40 && !lazy) askForRefund();
    if (i > 90 && !lazy) takeRefund();
  }
  if (swap.open()) swap.fail(`the swap never ended, it is ${swap.progress.at}`);
  mtp = Math.max(mtp, refundLocktime + 10);
  takeRefund();
  const has = minedSpend()?.kind;
  const isClients = has === 'claim' || has === 'joint';
  const claims = coins.filter(({ spent }) => spent === 'claimed').length;
  if (claims > 1) swap.fail('more than one coin of the client was claimed');
  if (coins.some(({ spent }) => spent === 'no')) swap.fail('a coin of the client is left lying');
  if (isThere(funding()) && has === undefined) swap.fail('our coin is left lying');
  if (claims === 1 && !isClients && !outlasted) swap.fail('both legs are ours');
  if (claims === 1 && !isClients && !flagged.includes('Both legs of this swap are ours'))
    swap.fail('both legs are ours, and nobody is told');
  if (claims === 0 && isClients && !lostToLocktime) swap.fail('the client has both legs');
  if (claims === 0 && isClients && !flagged.includes('although it had claimed our coin'))
    swap.fail('a loss that nobody is told of');
  return `${swap.progress.at}${isGiven ? ' given' : ''}`;
}

test('arkade to bitcoin: no order brings both legs into one hand, but what outlasts the locktimes', gamesLimit, () => {
  expect(endings(play, games)).toEqual([
    'claimed',
    'claimed given',
    'lapsed',
    'lost',
    'lost given',
    'refunded',
    'returned',
    'stopped',
  ]);
});
