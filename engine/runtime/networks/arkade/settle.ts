import { furthest, laterOf, minute } from '../../../domain/time.ts';
import { failedOnArkade, type ArkadeFailure } from '../../../legs/arkade/failures.ts';
import { claimCeiling, lastQuarter } from '../../../quote/ceilings.ts';
import { NotYet } from '../../not-yet.ts';
import { arkadeOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import type { ArkadeContext } from './context.ts';
import { preimageOf } from '../preimage.ts';
import { handedCoin, handedForgottenUntil } from './handed.ts';
import { coinNow, isUnrolled } from './coin.ts';
import { whyUnrolled } from './on-chain.ts';

/** Takes a coin that expired through a batch: slower, and the only way left. */
export async function settle(effect: EffectOf<'vhtlc.settle'>, context: ArkadeContext): Promise<void> {
  const { ports, answer, signal, clock, ceilings } = context;
  const { purpose, coin: own } = effect;
  const arkade = arkadeOf(ports);
  const now = clock.now();
  const { mtp } = furthest(now.bitcoin);
  if (effect.purpose === 'refund' && (mtp === null || mtp < effect.terms.refundLocktime))
    throw new NotYet(null, 'the refund is locked until median time past reaches its locktime');
  const coin = await coinNow(arkade, effect.script, effect.coin);
  if (coin.spent && coin.settledBy === null) {
    answer({ is: 'vhtlc.refused', purpose, txid: null, coin: own, why: 'spent', reason: 'the coin is spent' });
    return;
  }
  if (effect.taken === true && (coin.settledBy === null || !coin.recoverable)) {
    // Nothing is begun here: the watch tells by which leaf a live coin went, or that the coin is still to be had.
    answer({
      is: 'vhtlc.refused',
      purpose,
      txid: null,
      coin: own,
      why: 'spent',
      reason: 'no batch has the expired coin',
    });
    return;
  }
  // In a batch already: ours, whose end was missed, or the other party's. The port tells them apart.
  try {
    // By the clock that is ahead: a wall that fell behind must not keep a fee low until the claim is lost.
    const lost = effect.purpose === 'claim' && laterOf(now) >= lastQuarter(coin.createdAt, effect.terms.refundLocktime);
    const handed = handedCoin(effect.coin, context);
    const { commitmentTxid, fee, paid } = await arkade.settle({
      terms: effect.terms,
      key: effect.key,
      coins: [coin],
      leaf: effect.purpose === 'claim' ? 'claim' : 'refund-without-receiver',
      ...(effect.purpose === 'claim' ? { preimage: preimageOf(effect.terms.hash, context) } : {}),
      mostFee: claimCeiling(coin.amount, ceilings(), lost),
      begin: handed.begin,
      begun: handed.begun(),
      forgottenUntil: handedForgottenUntil(context.row.subject, context.store),
      isFree: handed.isFree,
      signal,
    });
    answer(
      { is: 'vhtlc.final', purpose, txid: commitmentTxid, coin: own, fee },
      {
        // It paid our wallet, and names no transaction of ours: the books know it by this alone.
        always(store) {
          store.ownBatches.note(commitmentTxid, context.row.subject, [coin.outpoint]);
          handed.credit(paid, store);
        },
        ifMoved(store, at) {
          const swap = context.row.subject;
          if (effect.purpose === 'refund')
            context.unpaid.note({ swap, network: 'arkade', place: 'refund', amount: fee }, store, at);
        },
      },
    );
  } catch (cause) {
    if (isUnrolled(cause)) {
      const why = await whyUnrolled(effect.coin, ports.bitcoin);
      return answer({ is: 'vhtlc.refused', purpose, txid: null, coin: own, ...why });
    }
    // It looked expired by a clock that leapt: asked for as before, it is taken by a transaction (facts/faults.md 113).
    if (failedOnArkade(cause, 'not-recoverable'))
      return answer({
        is: 'vhtlc.refused',
        purpose,
        txid: null,
        coin: own,
        why: 'refused',
        reason: 'the coin has not expired, so that no batch is needed',
      });
    if (failedOnArkade(cause, 'batch-foreign') && effect.purpose === 'refund' && effect.key.branch === 'swap') {
      if (effect.taken === true && context.row.attempts < askedBefore) throw new NotYet(askedAgain, cause.message);
      // The client's, who gave us the secret for it: another that lies here under this hash is an own swap's, and not
      // shown by the word of an operator (facts/faults.md 229).
      const { preimages, intents } = context.store;
      const preimage = intents.has('relay', context.row.subject) ? preimages.find(effect.terms.hash) : null;
      if (preimage !== null)
        return answer({ is: 'claim.relayed', preimage, coins: [effect.coin], fact: effect.taken === true });
    }
    if (failedOnArkade(cause, 'too-dear'))
      throw new NotYet(minute, `${cause.message}; raise ceilings.claimBps in the settings to pay more`, true);
    if (failedOnArkade(cause, ...alarming)) throw new NotYet(atLeisure, cause.message, true);
    throw cause;
  }
}

/**
 * How often an operator is asked again whose batch it was, and after how many seconds: one answer of it ends no refund
 * of ours.
 */
const askedBefore = 2;
const askedAgain = 5;
/**
 * Seconds after which an operator that banned a script is asked again: a ban lasts for minutes (facts/arkade.md 38).
 */
const atLeisure = 15;
/** A script that is banned, a batch that paid somebody else: what a batch does not do by itself. */
const alarming: readonly ArkadeFailure[] = ['banned', 'batch-foreign'];
