import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { sameOutpoint, type Outpoint } from '../../engine/domain/outpoint.ts';
import type { HoldState, PaymentState } from '../../engine/legs/lightning/port.ts';
import { openingEffects } from '../../engine/swap/halves/lightning/hold/waiting.ts';
import type { SeenCoin } from '../../engine/legs/arkade/events.ts';
import type { Effect, Event } from '../../engine/swap/machine.ts';
import { buried } from '../../engine/legs/onchain/depth.ts';
import {
  arkadeLightningCase,
  arkadeLightningTerms,
  clocksAt,
  coin,
  lightningArkadeCase,
  lightningArkadeTerms,
  preimage,
  spentBy,
  start,
  txid,
} from './cases.ts';
import { type Dice, diceOf, endings, type Games, gamesLimit } from './dice.ts';
import { drive } from './driver.ts';

/** What a network told, kept to be told late, twice or never. */
function rumours() {
  const events: Event[] = [];
  return {
    hear: (event: Event) => void events.push(event),
    /** Any of the last few, old ones included. */
    any: (roll: Dice): Event | undefined => events.at(-1 - roll(Math.min(6, Math.max(1, events.length)))),
  };
}

const games: Games = { runs: 6_000, throws: [30, 240], seed: 20_260 };

/** What spends a coin that lies on the chain: in a mempool while the height is null. */
interface ChainSpend {
  readonly by: 'claim' | 'refund';
  height: number | null;
}

interface LockTx {
  readonly id: string;
  state: 'prepared' | 'accepted' | 'final';
}

function unrolled(purpose: 'claim' | 'refund', id: string | null): Event {
  return { is: 'vhtlc.refused', purpose, txid: id, why: 'unrolled', reason: 'on the chain' };
}

/** Lightning to Arkade with an honest client, operator and Lightning node, who answer late, twice or not at all. */
function playLightningArkade(numbers: readonly number[]): string {
  const t = lightningArkadeTerms;
  const { roll, left, unlucky } = diceOf(numbers);
  const rumour = rumours();
  let wall: number = start;
  let hold = 'absent' as HoldState['is'];
  const locks: LockTx[] = [];
  let target = 'none' as 'none' | 'locked' | 'claimed' | 'refunded';
  let refund: 'none' | 'prepared' | 'accepted' = 'none';
  let learned = false;
  /** Somebody took the lock to the chain. */
  let chainSince = null as number | null;
  let onChain = null as ChainSpend | null;

  const now = () => clocksAt(wall);
  const swap = drive(lightningArkadeCase.machine, t, lightningArkadeCase.first, openingEffects(t), (from, step) => {
    if (step.learned !== undefined) learned = true;
    const finishing = from.at === 'claiming' || step.progress.at === 'claiming' || step.progress.at === 'claimed';
    if (finishing && step.effects.some((effect) => effect.do !== 'hold.settle'))
      return `a claimed swap asks for ${step.effects.map((effect) => effect.do).join()}`;
    return null;
  });
  const theLock = () => locks.find((lock) => lock.state !== 'prepared');

  function coins(): SeenCoin[] {
    const lock = theLock();
    if (lock?.state !== 'final') return [];
    const outpoint: Outpoint = { txid: lock.id, vout: 0 };
    const takenBack = {
      outpoint,
      spent: true,
      spentIn: txid.refund,
      spentBy: txid.refund,
      spend: { leaf: 'refund-without-receiver' },
    } as const;
    if (onChain !== null)
      return [
        coin({
          ...(onChain.by === 'claim' ? spentBy.claimInMempool : takenBack),
          outpoint,
          unrolled: true,
          onChain: { height: onChain.height },
        }),
      ];
    // What the operator accepted it goes on calling spent, though it never becomes final.
    if (chainSince !== null) return [coin({ ...(refund === 'accepted' ? takenBack : {}), outpoint, unrolled: true })];
    if (target === 'claimed') return [coin({ outpoint, ...spentBy.clientClaim })];
    if (target === 'refunded' || refund === 'accepted') return [coin(takenBack)];
    return [coin({ outpoint })];
  }

  function holdState(): HoldState {
    return hold === 'held'
      ? { is: 'held', amount: t.sourceAmount, smallest: t.sourceAmount, expiryHeight: 900_000 + t.cltvDelta }
      : { is: hold };
  }

  function look(): void {
    for (const watch of swap.watches)
      rumour.hear(watch.on === 'hold' ? { is: 'hold.seen', state: holdState() } : { is: 'vhtlc.seen', coins: coins() });
  }

  /** What the runtime does for one effect; the answer, or null when it must come back later. */
  function act(effect: Effect): Event | null {
    switch (effect.do) {
      case 'hold.create':
        if (hold === 'absent') hold = 'open';
        return { is: 'hold.created', bolt11: 'lnbcrt1', expiresAt: t.fundBefore };
      case 'hold.cancel': {
        const claimable = theLock() !== undefined && target !== 'refunded' && target !== 'claimed';
        if (claimable) swap.fail('the hold invoice was cancelled while the VHTLC can still be claimed');
        if (target === 'claimed') swap.fail('the hold invoice was cancelled after the client had claimed');
        if (hold === 'settled') swap.fail('a settled invoice was cancelled');
        if (hold !== 'absent') hold = 'cancelled';
        return { is: 'hold.cancelled' };
      }
      case 'hold.settle':
        if (!learned) swap.fail('the invoice is settled with a secret that was not saved');
        if (target === 'refunded') swap.fail('both legs are ours');
        if (hold !== 'held' && hold !== 'settled') swap.fail(`a claimed swap's payment is ${hold}`);
        hold = 'settled';
        return { is: 'hold.settled' };
      case 'vhtlc.lock': {
        const id = `${locks.length}`.padStart(64, '0');
        return { is: 'vhtlc.prepared', purpose: 'lock', txid: id, output: { txid: id, vout: 0 } };
      }
      case 'vhtlc.refund':
        if (target === 'claimed')
          return { is: 'vhtlc.refused', purpose: 'refund', txid: null, why: 'spent', reason: 'spent' };
        if ((now().bitcoin.mtp ?? 0) <= t.vhtlc.refundLocktime) return null;
        return chainSince !== null
          ? unrolled('refund', null)
          : { is: 'vhtlc.prepared', purpose: 'refund', txid: txid.refund, output: { txid: txid.refund, vout: 0 } };
      case 'vhtlc.submit':
        return effect.purpose === 'lock'
          ? submitLock(effect.txid, effect.onlyIf?.notAfter ?? 0)
          : submitRefund(effect.txid);
      case 'vhtlc.finalize':
        if (effect.purpose === 'lock') {
          const lock = locks.find(({ id }) => id === effect.txid);
          if (lock === undefined) return swap.fail('a lock that was never accepted is finalized');
          lock.state = 'final';
          if (target === 'none') target = 'locked';
        } else if (chainSince !== null && target !== 'refunded') return unrolled('refund', effect.txid);
        else if (refund === 'accepted' && target === 'locked') target = 'refunded';
        return { is: 'vhtlc.final', purpose: effect.purpose, txid: effect.txid };
      case 'vhtlc.exit':
        if (chainSince === null) return swap.fail('a coin that the operator has is looked for on the chain');
        if (onChain?.by === 'claim' && buried(onChain.height, now().bitcoin.height))
          return { is: 'vhtlc.refused', purpose: 'refund', txid: null, why: 'spent', reason: 'spent' };
        return {
          is: 'onchain.prepared',
          leg: 'arkade',
          purpose: 'refund',
          txid: txid.refund,
          amount: t.targetAmount,
          rate: 2,
          capped: false,
          height: now().bitcoin.height ?? 0,
        };
      case 'onchain.broadcast':
        return keepOnChain(effect.txid);
      default:
        return swap.fail(`nobody asked for ${effect.do}`);
    }
  }

  function keepOnChain(id: string): Event | null {
    if (onChain === null) {
      if (wall < (chainSince ?? wall) + t.vhtlc.refundWithoutReceiverDelay) return null;
      if (unlucky()) return { is: 'onchain.refused', leg: 'arkade', txid: id, why: 'refused', reason: 'busy' };
      onChain = { by: 'refund', height: null };
      return null;
    }
    if (!buried(onChain.height, now().bitcoin.height))
      return onChain.height === null && unlucky()
        ? { is: 'onchain.stuck', leg: 'arkade', txid: id, leastRate: 3 }
        : null;
    if (onChain.by === 'claim')
      return { is: 'onchain.refused', leg: 'arkade', txid: id, why: 'spent', reason: 'spent' };
    target = 'refunded';
    return { is: 'onchain.final', leg: 'arkade', txid: id, fee: sats(300) };
  }

  /** Miners take what waits; a reorganisation may lose what is not buried. */
  function chainMoves(): void {
    if (chainSince === null && target === 'locked' && roll(6) === 0) chainSince = wall;
    else if (onChain?.height === null) onChain.height = now().bitcoin.height;
    else if (
      onChain?.by === 'refund' &&
      target !== 'refunded' &&
      !buried(onChain.height, now().bitcoin.height) &&
      roll(2) === 0
    )
      onChain = null;
  }

  function submitLock(id: string, notAfter: number): Event {
    const sent = locks.find((lock) => lock.id === id);
    if (sent === undefined && (wall > notAfter || hold !== 'held'))
      return { is: 'vhtlc.refused', purpose: 'lock', txid: id, why: 'late', reason: 'late' };
    if (sent === undefined && unlucky())
      return {
        is: 'vhtlc.refused',
        purpose: 'lock',
        txid: id,
        why: roll(2) === 0 ? 'spent' : 'refused',
        reason: 'beaten',
      };
    if (sent === undefined && theLock() !== undefined) swap.fail('a second lock was sent while the first exists');
    if (sent === undefined) locks.push({ id, state: 'accepted' });
    return sent?.state === 'final'
      ? { is: 'vhtlc.final', purpose: 'lock', txid: id }
      : { is: 'vhtlc.accepted', purpose: 'lock', txid: id };
  }

  function submitRefund(id: string): Event {
    if (target === 'claimed')
      return { is: 'vhtlc.refused', purpose: 'refund', txid: id, why: 'spent', reason: 'spent' };
    if (refund === 'none' && chainSince !== null) return unrolled('refund', id);
    if (refund === 'none' && unlucky())
      return { is: 'vhtlc.refused', purpose: 'refund', txid: id, why: 'refused', reason: 'busy' };
    refund = 'accepted';
    return { is: 'vhtlc.accepted', purpose: 'refund', txid: id };
  }

  function work(answerArrives: boolean): void {
    const effect = swap.next(roll);
    if (effect === undefined) return;
    const answer = act(effect);
    // A lost answer, or a node that died before its commit: the effect is still owed.
    if (answer !== null && answerArrives) swap.deliver(answer, now(), effect);
  }

  function clientActs(): void {
    if (hold === 'open' && wall < t.fundBefore && 'bolt11' in swap.progress) hold = 'held';
    else if (target !== 'locked' || hold !== 'held') return;
    else if (chainSince === null) target = refund === 'accepted' ? target : 'claimed';
    // On the chain a claim replaces what waits in the mempool; a transaction in a block only a reorganisation removes.
    else if (wall >= chainSince + t.vhtlc.claimDelay && (onChain === null || onChain.height === null)) {
      onChain = { by: 'claim', height: null };
      target = 'claimed';
    }
  }

  while (left()) {
    switch (roll(9)) {
      case 0:
        wall += [1, 60, 1_800, 3_600, 14_400, 36_000][roll(6)] ?? 1;
        break;
      case 1:
        if (roll(2) === 0) clientActs();
        break;
      case 8:
        chainMoves();
        break;
      case 2:
        look();
        break;
      case 3:
        swap.deliver({ is: 'clock' }, now());
        break;
      case 4:
        if (roll(12) === 0 && swap.progress.at === 'opening')
          swap.deliver({ is: 'abandoned', reason: 'nobody waits' }, now());
        break;
      case 5: {
        const event = rumour.any(roll);
        if (event !== undefined) swap.deliver(event, now());
        break;
      }
      default:
        work(roll(4) > 0);
    }
  }
  // From here on everybody does what they should: the swap comes to its end.
  for (let i = 0; i < 60 && swap.open(); i++) {
    if (i > 20) wall += 7_200;
    work(true);
    if (onChain?.height === null) onChain.height = now().bitcoin.height;
    for (const watch of swap.watches)
      swap.deliver(
        watch.on === 'hold' ? { is: 'hold.seen', state: holdState() } : { is: 'vhtlc.seen', coins: coins() },
        now(),
      );
    swap.deliver({ is: 'clock' }, now());
  }
  if (swap.open()) swap.fail(`the swap never ended, it is ${swap.progress.at}`);
  if (target === 'claimed' && hold !== 'settled') swap.fail(`the client has the coin and the payment is ${hold}`);
  if (target !== 'claimed' && hold === 'settled') swap.fail('the payment was taken for nothing');
  if (target === 'locked' || hold === 'held')
    swap.fail(`money is left lying: the VHTLC is ${target}, the payment ${hold}`);
  return swap.progress.at;
}

/** Arkade to Lightning with an honest operator and Lightning node, and a client who takes every refund it can get. */
function playArkadeLightning(numbers: readonly number[]): string {
  const t = arkadeLightningTerms;
  const { roll, left, unlucky } = diceOf(numbers);
  const rumour = rumours();
  let wall: number = start;
  let payment = 'absent' as PaymentState['is'];
  let begun = false;
  /** A call that starts the payment is still on its way to the Lightning node. */
  let onItsWay = false;
  let lateForTheFence = false;
  let claim: 'none' | 'accepted' = 'none';
  let claimFinal = false;
  let lostToLocktime = false;
  const funded: {
    outpoint: Outpoint;
    amount: bigint;
    spent: 'no' | 'claimed' | 'refunded';
    signed: boolean;
    chainSince: number | null;
    onChain: ChainSpend | null;
  }[] = [];

  const now = () => clocksAt(wall);
  const swap = drive(arkadeLightningCase.machine, t, arkadeLightningCase.first, [], (from, step) => {
    const claims = from.at === 'claiming' || from.at === 'claimed';
    if (claims && step.effects.some((effect) => !effect.do.startsWith('vhtlc.') && effect.do !== 'onchain.broadcast'))
      return `a claiming swap asks for ${step.effects.map((effect) => effect.do).join()}`;
    return null;
  });

  function coins(): SeenCoin[] {
    return funded.map(({ outpoint, amount, spent, chainSince, onChain }) => {
      const whole = { outpoint, amount: sats(amount), unrolled: chainSince !== null };
      if (onChain !== null)
        return coin({
          ...(onChain.by === 'claim' ? spentBy.ourClaim : spentBy.refund),
          ...whole,
          onChain: { height: onChain.height },
        });
      // What the operator accepted it goes on calling spent, though it never becomes final.
      if (chainSince !== null) return coin({ ...(claim === 'accepted' ? spentBy.ourClaim : {}), ...whole });
      return coin({
        ...whole,
        ...(spent === 'no'
          ? {}
          : spent === 'claimed'
            ? spentBy.ourClaim
            : lostToLocktime
              ? spentBy.refund
              : spentBy.cosignedRefund),
      });
    });
  }

  function paymentState(): PaymentState {
    if (payment === 'settled') return { is: 'settled', preimage, feeMsat: 1_000n };
    return payment === 'failed' ? { is: 'failed', reason: 'no route' } : { is: payment };
  }

  function look(): void {
    for (const watch of swap.watches)
      rumour.hear(
        watch.on === 'payment' ? { is: 'payment.seen', state: paymentState() } : { is: 'vhtlc.seen', coins: coins() },
      );
  }

  function coinOf(outpoint: Outpoint) {
    const coin = funded.find((one) => sameOutpoint(one.outpoint, outpoint));
    return coin ?? swap.fail('an effect names a coin that nobody sent');
  }

  function act(effect: Effect): Event | null {
    switch (effect.do) {
      case 'pay': {
        if (payment !== 'absent') return { is: 'payment.seen', state: paymentState(), unsure: true };
        const paidFor = effect.onlyIf.coin?.outpoint;
        if (paidFor === undefined) return swap.fail('a payment without the coin that it is for');
        if (wall > effect.onlyIf.notAfter || coinOf(paidFor).spent !== 'no')
          return begun ? { is: 'payment.started', unsure: true } : { is: 'payment.refused', reason: 'late' };
        if (funded.some(({ signed }) => signed)) swap.fail('a payment was started after a refund was signed');
        const { amount } = coinOf(paidFor);
        if (amount < t.sourceAmount || amount > (t.sourceAmount * 101n) / 100n)
          swap.fail(`a payment was started for a coin of ${amount}`);
        const answer: Event = { is: 'payment.started', ...(begun ? { unsure: true } : {}) };
        begun = true;
        if (unlucky()) {
          onItsWay = true;
          return null;
        }
        payment = 'in-flight';
        return answer;
      }
      case 'vhtlc.claim':
        if (payment !== 'settled') swap.fail('the coin is claimed although nothing was paid');
        if (coinOf(effect.coin).chainSince !== null) return unrolled('claim', null);
        return coinOf(effect.coin).spent === 'no'
          ? { is: 'vhtlc.prepared', purpose: 'claim', txid: txid.claim, output: { txid: txid.claim, vout: 0 } }
          : { is: 'vhtlc.refused', purpose: 'claim', txid: null, why: 'spent', reason: 'spent' };
      case 'vhtlc.submit': {
        const own = swap.progress.at === 'claiming' ? coinOf(swap.progress.coin) : null;
        if (own !== null && own.chainSince !== null && claim === 'none') return unrolled('claim', effect.txid);
        if (own?.spent === 'refunded')
          return { is: 'vhtlc.refused', purpose: 'claim', txid: effect.txid, why: 'spent', reason: 'spent' };
        if (claim === 'none' && unlucky())
          return { is: 'vhtlc.refused', purpose: 'claim', txid: effect.txid, why: 'refused', reason: 'busy' };
        claim = 'accepted';
        if (own !== null) own.spent = 'claimed';
        return { is: 'vhtlc.accepted', purpose: 'claim', txid: effect.txid };
      }
      case 'vhtlc.finalize': {
        const own = swap.progress.at === 'claiming' ? coinOf(swap.progress.coin) : null;
        if (own !== null && own.chainSince !== null && !claimFinal) return unrolled('claim', effect.txid);
        claimFinal = true;
        return { is: 'vhtlc.final', purpose: effect.purpose, txid: effect.txid };
      }
      case 'vhtlc.exit':
        if (coinOf(effect.coin).chainSince === null)
          return swap.fail('a coin that the operator has is looked for on the chain');
        return {
          is: 'onchain.prepared',
          leg: 'arkade',
          purpose: 'claim',
          txid: txid.claim,
          amount: t.sourceAmount,
          rate: 2,
          capped: false,
          height: now().bitcoin.height ?? 0,
        };
      case 'onchain.broadcast':
        return keepOnChain(coinOf(effect.spends), effect.txid);
      default:
        return swap.fail(`nobody asked for ${effect.do}`);
    }
  }

  function keepOnChain(own: (typeof funded)[number], id: string): Event | null {
    if (payment !== 'settled') swap.fail('the coin is claimed on the chain although nothing was paid');
    if (own.onChain === null) {
      if (wall < (own.chainSince ?? wall) + t.vhtlc.claimDelay) return null;
      if (unlucky()) return { is: 'onchain.refused', leg: 'arkade', txid: id, why: 'refused', reason: 'busy' };
      own.onChain = { by: 'claim', height: null };
      return null;
    }
    if (!buried(own.onChain.height, now().bitcoin.height))
      return own.onChain.height === null && unlucky()
        ? { is: 'onchain.stuck', leg: 'arkade', txid: id, leastRate: 3 }
        : null;
    if (own.onChain.by === 'refund')
      return { is: 'onchain.refused', leg: 'arkade', txid: id, why: 'spent', reason: 'spent' };
    own.spent = 'claimed';
    return { is: 'onchain.final', leg: 'arkade', txid: id, fee: sats(300) };
  }

  /** Coins go to the chain, miners take what waits, and a reorganisation may lose what is not buried. */
  function chainMoves(): void {
    const one = funded[roll(Math.max(1, funded.length))];
    if (one === undefined) return;
    const final = one.spent === 'refunded' || (one.spent === 'claimed' && claimFinal);
    if (one.chainSince === null && !final && roll(6) === 0) {
      one.chainSince = wall;
      one.spent = 'no';
    } else if (one.onChain?.height === null) one.onChain.height = now().bitcoin.height;
    else if (
      one.onChain?.by === 'claim' &&
      one.spent === 'no' &&
      !buried(one.onChain.height, now().bitcoin.height) &&
      roll(2) === 0
    )
      one.onChain = null;
  }

  function work(answerArrives: boolean): void {
    const effect = swap.next(roll);
    if (effect === undefined) return;
    const answer = act(effect);
    if (answer !== null && answerArrives) swap.deliver(answer, now(), effect);
  }

  function fund(): void {
    if (funded.length >= 3) return;
    const amount =
      [t.sourceAmount, t.sourceAmount, t.sourceAmount - 1n, t.sourceAmount + 1_002n, t.sourceAmount + 5_000n, 330n][
        roll(6)
      ] ?? 330n;
    funded.push({
      outpoint: { txid: `${funded.length}`.padStart(64, 'f'), vout: 0 },
      amount,
      spent: 'no',
      signed: false,
      chainSince: null,
      onChain: null,
    });
  }

  /** The Lightning node tries a payment anew that it does not know, or that failed. */
  function arriveLate(): void {
    onItsWay = false;
    if (payment !== 'absent' && payment !== 'failed') return;
    payment = 'in-flight';
    lateForTheFence ||= funded.some(({ signed }) => signed);
  }

  function askForSignature(): void {
    // Whoever signs looks at the payment first, when it may still come.
    if ('doubt' in swap.progress) swap.deliver({ is: 'payment.seen', state: paymentState() }, now());
    const unspent = funded.filter(({ spent }) => spent === 'no');
    // In use when the machine says so; the signature itself never expires.
    if (
      swap.deliver({ is: 'refund.cosign.requested', coins: unspent.map(({ outpoint }) => outpoint) }, now()) === 'moved'
    )
      for (const one of unspent) one.signed = true;
  }

  /** Done with its coin; this one is another, which the client may have back. */
  function isOver(outpoint: Outpoint): boolean {
    const p = swap.progress;
    return p.at === 'claimed' || (p.at === 'lost' && !sameOutpoint(p.coin, outpoint));
  }

  function takeRefund(): void {
    const alone = (now().bitcoin.mtp ?? 0) > t.vhtlc.refundLocktime;
    for (const one of funded) {
      if (one.chainSince !== null) {
        takeOnChain(one);
        continue;
      }
      if (one.spent !== 'no' || !(one.signed || alone)) continue;
      one.spent = 'refunded';
      if (!one.signed) lostToLocktime = true;
      if (one.signed && payment !== 'absent' && payment !== 'failed' && !isOver(one.outpoint) && !lateForTheFence)
        swap.fail('the client has a signed refund of a coin that is paid for');
    }
  }

  /** By the client's own last leaf, buried at once. */
  function takeOnChain(one: (typeof funded)[number]): void {
    if (
      one.spent !== 'no' ||
      one.onChain !== null ||
      wall < (one.chainSince ?? wall) + t.vhtlc.refundWithoutReceiverDelay
    )
      return;
    one.spent = 'refunded';
    one.onChain = { by: 'refund', height: (now().bitcoin.height ?? 0) - 5 };
    lostToLocktime = true;
  }

  while (left()) {
    switch (roll(11)) {
      case 0:
        wall += [1, 60, 600, 1_800, 14_400, 86_400][roll(6)] ?? 1;
        break;
      case 1:
        if (roll(2) === 0) fund();
        break;
      case 2:
        look();
        break;
      case 3:
        swap.deliver({ is: 'clock' }, now());
        break;
      case 4:
        if (roll(4) === 0) askForSignature();
        break;
      case 5:
        if (roll(2) === 0) takeRefund();
        break;
      case 6:
        if (payment === 'in-flight') payment = roll(2) === 0 ? 'settled' : 'failed';
        else if (onItsWay && wall < t.invoiceExpiresAt && roll(2) === 0) arriveLate();
        break;
      case 7: {
        const event = rumour.any(roll);
        if (event !== undefined) swap.deliver(event, now());
        break;
      }
      case 10:
        chainMoves();
        break;
      default:
        work(roll(4) > 0);
    }
  }
  for (let i = 0; i < 60 && swap.open(); i++) {
    for (const one of funded) if (one.onChain?.height === null) one.onChain.height = now().bitcoin.height;
    if (payment === 'in-flight') payment = 'settled';
    if (i > 20) wall += 14_400;
    work(true);
    for (const watch of swap.watches)
      swap.deliver(
        watch.on === 'payment' ? { is: 'payment.seen', state: paymentState() } : { is: 'vhtlc.seen', coins: coins() },
        now(),
      );
    swap.deliver({ is: 'clock' }, now());
    if (i > 10 && payment !== 'settled') askForSignature();
    if (i > 10 && (payment !== 'settled' || swap.progress.at === 'claimed')) takeRefund();
  }
  if (swap.open()) swap.fail(`the swap never ended, it is ${swap.progress.at}`);
  const claimed = funded.filter(({ spent }) => spent === 'claimed').length;
  if (claimed > 1) swap.fail('more than one coin of the client was claimed');
  if (claimed === 1 && payment !== 'settled') swap.fail('both legs are ours');
  if (claimed === 0 && payment === 'settled' && !lostToLocktime && !lateForTheFence)
    swap.fail('the payment settled and its coin was not claimed');
  const ended = swap.progress.at;
  // A coin that came when nobody watched any more: the client has only to ask.
  askForSignature();
  wall += t.vhtlc.refundWithoutReceiverDelay;
  takeRefund();
  if (funded.some(({ spent }) => spent === 'no'))
    swap.fail('a coin of the client is left lying, and no refund of it is signed');
  return ended;
}

test(
  'lightning to arkade loses nothing and forgets nothing in any order, and every ending is reached',
  gamesLimit,
  () => {
    expect(endings(playLightningArkade, games)).toEqual(['claimed', 'lapsed', 'refunded', 'stopped', 'unopened']);
  },
);

test(
  'arkade to lightning loses nothing and forgets nothing in any order, and every ending is reached',
  gamesLimit,
  () => {
    expect(endings(playArkadeLightning, games)).toEqual(['claimed', 'lapsed', 'lost', 'refunded', 'stopped']);
  },
);
