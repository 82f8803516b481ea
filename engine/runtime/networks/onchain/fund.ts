import { PortFailure } from '../../../domain/errors.ts';
import { btcOn, greater, plus, type Sats } from '../../../domain/money.ts';
import { outpointKey } from '../../../domain/outpoint.ts';
import type { Unix } from '../../../domain/time.ts';
import type { ChainCoin } from '../../../legs/onchain/port.ts';
import type { PreparedSend } from '../../../legs/onchain/wallet-port.ts';
import { failedOnchain } from '../../../legs/onchain/failures.ts';
import { feeUp } from '../../../legs/onchain/size.ts';
import type { Event } from '../../../swap/machine.ts';
import { leastFree } from '../../../legs/onchain/reserve.ts';
import { feeReserve } from '../../../quote/ceilings.ts';
import { lockBytes } from '../../../quote/gas.ts';
import type { Maker } from '../../../store/transactions.ts';
import { NotYet } from '../../not-yet.ts';
import { bitcoinOf, bitcoinWalletOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import type { OnchainContext } from './context.ts';
import { unlessTaken } from '../reserved.ts';
import { believedRate } from './fee-rate.ts';
import { noUrgency } from './fee-urgency.ts';
import { listedCoin } from './listed-coin.ts';
import { makersOf } from './makers.ts';
import { noteFee, rateText } from './note.ts';
import { noteFunding } from './outlay.ts';
import { feeReserveNow } from './reserve.ts';
import { furthestMtp } from './transactions.ts';

/** Of the change of one funding, coins for so many others: each costs 43 virtual bytes. */
const mostPieces = 20;

/**
 * Chooses confirmed wallet coins and signs the funding of an HTLC; nothing is sent before the commit that reserves
 * them.
 */
export async function prepareFunding(effect: EffectOf<'htlc.fund'>, context: OnchainContext): Promise<void> {
  const { script, amount, mostFee, lockBefore } = effect;
  const { ports, store, row } = context;
  // Not in the wallet's turn, which another network would hold up; where no time is left, nobody's answer is needed.
  const [answer] = await Promise.allSettled([context.unpaid.ready(row.subject, 'bitcoin')]);
  return context.alone('bitcoin', async () => {
    const bitcoin = bitcoinOf(ports);
    // Never two that could both be mined: whoever claims one claims the other with the same secret.
    const before = store.transactions
      .of(row.subject, row.leg)
      .find(({ purpose, state }) => purpose === 'fund' && state !== 'dead');
    if (before !== undefined) throw new Error(`the HTLC of this swap is funded already, by ${before.txid}`);
    const tip = await bitcoin.tip();
    // From before a backup of the database: the swap takes it for its funding once it sees it.
    const there = await alreadyThere(effect, furthestMtp(tip, context), context);
    if (there === 'unknown') return;
    if (there !== undefined)
      throw new NotYet(null, `a coin of the amount lies at the HTLC already: ${outpointKey(there.outpoint)}`);
    if (store.intents.has('payment', row.subject) || store.intents.has('refund', row.subject))
      return context.answer(await unsure(effect, context));
    const now = furthestMtp(tip, context);
    if (now !== null && now > lockBefore)
      return context.answer({ is: 'htlc.refused', reason: 'too little time was left when its coins were there' });
    if (answer.status === 'rejected') throw answer.reason;
    const rate = await believedRate(bitcoin, { within: noUrgency.within, doubtAbove: 0, late: false });
    const full = context.unpaid.full(row.subject, 'bitcoin', feeUp(lockBytes, rate));
    // At a rate at which none is made, its cost refuses nobody either (facts/faults.md 361).
    if (full !== null && !affords(effect, rate)) return waitNoted(`funding waits: ${full}`, context);
    if (full !== null) return context.answer({ is: 'htlc.refused', reason: full });
    let made: PreparedSend;
    try {
      made = await bitcoinWalletOf(ports).prepareFunding({
        script,
        amount,
        reserved: store.transactions.reservedCoins(),
        rate,
        mostFee,
        leastChange: feeReserve,
        reserve: feeReserveNow(store),
        pieces: waitingBeside(context, rate),
      });
    } catch (cause) {
      if (failedOnchain(cause, 'coins-wait'))
        return waitNoted('funding waits for a block to confirm the wallet’s coins', context);
      // One dear moment refuses nobody: it waits until too little time is left (facts/faults.md 361).
      if (failedOnchain(cause, 'too-dear')) return waitNoted(`funding waits: ${cause.message}`, context);
      if (!(cause instanceof PortFailure) || (cause.retry !== 'never' && !failedOnchain(cause, 'no-coins')))
        throw cause;
      return context.answer({ is: 'htlc.refused', reason: cause.message });
    }
    answerPrepared(made, await makersOf(made.coins, context), tip.height, context);
  });
}

/**
 * A coin of the amount at our HTLC. `unknown`, and answered: nobody lists the script, which its client may have paid
 * too often, and no time is left; without an end the liquidity would be kept for it for ever (facts/faults.md 96).
 */
async function alreadyThere(
  { script, amount, lockBefore }: EffectOf<'htlc.fund'>,
  now: Unix | null,
  { ports, answer }: OnchainContext,
): Promise<ChainCoin | undefined | 'unknown'> {
  try {
    return await listedCoin(bitcoinOf(ports), script, (coin) => coin.amount === amount);
  } catch (cause) {
    if (!(cause instanceof PortFailure) || now === null || now <= lockBefore) throw cause;
    answer({
      is: 'htlc.refused',
      reason: `what lies at the HTLC could not be read until too little time was left: ${cause.message}`,
      unsure: true,
    });
    return 'unknown';
  }
}

/** Whether a funding that waits could be made where blocks ask for this rate: one that waits for less takes no coin. */
export function affords({ mostFee }: EffectOf<'htlc.fund'>, rate: number): boolean {
  return mostFee >= feeUp(lockBytes, rate);
}

/**
 * What each other funding that waits for its turn needs in a coin of its own that is not kept for fees, the oldest
 * first.
 */
function waitingBeside({ store, row }: OnchainContext, rate: number): readonly Sats[] {
  return store.effects
    .waitingFor('htlc.fund')
    .filter(({ subject, effect }) => subject !== row.subject && affords(effect, rate))
    .slice(0, mostPieces)
    .map(({ effect }) =>
      greater(plus(plus(effect.amount, effect.mostFee), feeReserve), leastFree({ each: feeReserve })),
    );
}

/**
 * Only what is confirmed funds an HTLC: what comes back from the fundings before it is confirmed by the next block. And
 * only what its ceiling allows.
 */
function waitNoted(sentence: string, context: OnchainContext): never {
  const { store, row, clock } = context;
  if (row.attempts === 0) {
    const note = noteFee(context, sentence);
    store.atomically(() => note(store, clock.now().wall));
  }
  throw new NotYet(null, sentence);
}

/** Funded in the forgotten time, and claimed since, the coin is listed nowhere: but what it left of the wallet is. */
async function unsure(
  { script, amount, scriptSince }: EffectOf<'htlc.fund'>,
  { ports }: OnchainContext,
): Promise<Event & { is: 'htlc.refused' }> {
  const output = await bitcoinWalletOf(ports).paymentTo(script, amount, scriptSince);
  return {
    is: 'htlc.refused',
    reason:
      'the database was restored from a backup, and the HTLC may have been funded since, or the client’s refund ' +
      'been signed',
    unsure: true,
    ...(output === null ? {} : { output }),
  };
}

function answerPrepared(
  { bytes, ...payment }: PreparedSend,
  makers: readonly Maker[],
  height: number,
  context: OnchainContext,
): void {
  const { txid, coins, fee, rate } = payment;
  const note = noteFee(context, `funding prepared at ${rateText(rate)}, ${fee} sats`);
  const save = (): void =>
    context.answer(
      { is: 'htlc.prepared', payment, output: { txid, vout: 0 }, height },
      {
        prepared(store, now) {
          store.transactions.insert(
            {
              ...btcOn('bitcoin'),
              txid,
              subject: context.row.subject,
              leg: 'bitcoin',
              purpose: 'fund',
              bytes,
              inputs: coins.map(({ outpoint }) => outpoint),
              makers,
            },
            now,
          );
          note(store, now);
          noteFunding({ fee, rate }, context)(store, now);
        },
      },
    );
  unlessTaken(save, 'a coin of the funding was promised to another payment: it is prepared again');
}
