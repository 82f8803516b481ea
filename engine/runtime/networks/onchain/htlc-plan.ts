import { btcOn, type Sats } from '../../../domain/money.ts';
import { unix, type Unix } from '../../../domain/time.ts';
import { buried } from '../../../legs/onchain/depth.ts';
import { onchainFailure } from '../../../legs/onchain/failures.ts';
import type { HtlcSpend } from '../../../legs/onchain/htlc-spend.ts';
import type { ChainTip } from '../../../legs/onchain/port.ts';
import { spendBudget } from '../../../quote/ceilings.ts';
import { NotYet } from '../../not-yet.ts';
import { bitcoinOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import type { OnchainContext } from './context.ts';
import { noteFee, rateText } from './note.ts';
import { noteSpent } from './outlay.ts';
import { brought, furthestMtp, isOurs, minedAt, moment, showing, showsSecret } from './transactions.ts';
import type { SpendPlan } from './spend-plan.ts';
import { wantedRate } from './wanted-rate.ts';

/**
 * Bytes: of what weighs more no mempool takes any (BIP-141 counts a byte as one unit of weight at least, policy allows
 * 400,000).
 */
const mostRelayed = 400_000;

/** What a spend of a coin at an HTLC is asked with, by its script or by the key of both. */
type Spending = Pick<
  EffectOf<'htlc.spend'>,
  'purpose' | 'terms' | 'script' | 'coin' | 'funding' | 'leastRate' | 'deadline'
>;

/** Reads the coin and what its spend may cost; null once it was answered that somebody else's is buried. */
export async function planSpend(
  effect: Spending,
  tip: ChainTip | null,
  context: OnchainContext,
): Promise<SpendPlan | null> {
  const { ports, answer, ceilings } = context;
  const { terms, purpose, coin, leastRate, deadline } = effect;
  const bitcoin = bitcoinOf(ports);
  const { amount, minedIn, bytes: funding } = await brought(bitcoin, effect.script, coin, effect.funding);
  const spend = await bitcoin.spend(coin, showing(terms.hash, coin));
  if (spend !== null && !isOurs(spend, context)) {
    // One that is not buried may be a reorganisation's or a liar's: ours is sent against it, unless it shows the
    // secret.
    if (buried(spend.height, tip?.height ?? null)) {
      answer({
        is: 'onchain.refused',
        leg: 'bitcoin',
        txid: spend.txid,
        why: 'spent',
        reason: 'the coin is spent on the chain',
      });
      return null;
    }
    if (purpose === 'refund' && (await showsSecret(spend, { hash: terms.hash, coin, bitcoin })))
      throw new NotYet(null, 'the coin is being claimed with its secret');
  }
  const reading = furthestMtp(tip, context) ?? unix(0);
  const since = (height: number | null): Unix => (height === null || tip === null ? reading : minedAt(height, tip));
  const from =
    purpose === 'claim' ? since(minedIn) : terms.form === 'musig' ? since(terms.refundHeight) : terms.refundLocktime;
  const due = moment(deadline, tip, context);
  const { most: mostFee, until } = spendBudget(amount, ceilings(), { from, deadline: due, now: reading });
  const wanted = await wantedRate(bitcoin, { deadline: due, now: reading, doubtAbove: 0 });
  return { amount, funding, feeRate: Math.max(leastRate, wanted.rate), by: wanted.by, mostFee, until, tip };
}

export function notWorthIt(amount: Sats): Error {
  return onchainFailure(
    'dust',
    'never',
    `the coin holds ${amount} sats, less than the smallest fee and an output need`,
  );
}

/** Signed: saved with the commit that says so. `joint`: by the key of both. */
export function answerSpend(
  { purpose, terms, deadline }: Spending,
  { amount, funding, by, until, tip }: SpendPlan,
  { txid, bytes, fee, rate, capped }: HtlcSpend,
  context: OnchainContext,
  joint?: true,
): void {
  const note = noteFee(
    context,
    `${purpose} prepared at ${rateText(rate)} by ${by}, ${fee} of ${amount} ` +
      `sats${capped ? ', the most that it may cost now' : ''}`,
  );
  context.answer(
    {
      is: 'onchain.prepared',
      leg: 'bitcoin',
      purpose,
      txid,
      amount,
      rate,
      capped,
      ...(until === null ? {} : { raiseFrom: until }),
      deadline,
      ...(purpose === 'refund' ? { yieldsTo: terms.hash } : {}),
      ...(purpose === 'claim' && funding.length <= mostRelayed ? { funding } : {}),
      height: tip?.height ?? context.clock.tip()?.height ?? 0,
      ...(joint === undefined ? {} : { joint }),
    },
    {
      prepared(store, time) {
        const { subject } = context.row;
        const leg = 'bitcoin';
        // The same fee makes the same transaction; and its input is no wallet coin, so that nothing is reserved.
        const state = store.transactions.byId(txid)?.state;
        if (state === 'prepared' || state === 'accepted') return;
        const replaces =
          store.transactions
            .of(subject, leg)
            .findLast((row) => row.purpose === purpose && (row.state === 'prepared' || row.state === 'accepted'))
            ?.txid ?? null;
        store.transactions.insert(
          { ...btcOn('bitcoin'), txid, subject, leg, purpose, bytes, inputs: [], replaces },
          time,
        );
        note(store, time);
        if (purpose === 'refund') noteSpent('refund', fee, context)(store, time);
      },
    },
  );
}
