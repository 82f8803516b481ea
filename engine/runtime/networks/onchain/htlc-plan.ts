import { btcOn, type Sats } from '../../../domain/money.ts';
import { unix, type Unix } from '../../../domain/time.ts';
import { buried } from '../../../legs/onchain/depth.ts';
import { onchainFailure } from '../../../legs/onchain/failures.ts';
import { refundSize, type HtlcSpend } from '../../../legs/onchain/htlc-spend.ts';
import type { ChainTip } from '../../../legs/onchain/port.ts';
import { spendBudget, type ClaimCeilings } from '../../../quote/ceilings.ts';
import { NotYet } from '../../not-yet.ts';
import { bitcoinOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import type { OnchainContext } from './context.ts';
import { carriedFunding, nothingCarried, rateBeside } from './makers.ts';
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
  const { ports, store, answer } = context;
  const { terms, purpose, coin, leastRate } = effect;
  const bitcoin = bitcoinOf(ports);
  // One of ours that was evicted is sent with its refund (facts/faults.md 247).
  const saved = effect.funding ?? store.transactions.bytes(coin.txid) ?? undefined;
  const { amount, minedIn, bytes: funding } = await brought(bitcoin, effect.script, coin, saved);
  const spend = await bitcoin.spend(coin, showing(terms.hash, coin));
  if (spend !== null && !isOurs(spend, context)) {
    // One that is not buried may be a reorganisation's or a liar's: ours is sent against it, unless it shows the
    // secret.
    if (buried(spend.height, tip?.height ?? null)) {
      answer({
        is: 'onchain.refused',
        leg: 'bitcoin',
        txid: spend.txid,
        coin,
        why: 'spent',
        reason: 'the coin is spent on the chain',
      });
      return null;
    }
    if (purpose === 'refund' && (await showsSecret(spend, { hash: terms.hash, coin, bitcoin })))
      throw new NotYet(null, 'the coin is being claimed with its secret');
  }
  const { mostFee, until, due, now } = budgetNow(effect, { amount, minedIn }, tip, context);
  const wanted = await wantedRate(bitcoin, { deadline: due, now, doubtAbove: 0 });
  const carried = purpose === 'refund' && minedIn === null ? await carriedFunding(coin, context) : nothingCarried;
  const feeRate = Math.max(leastRate, rateBeside(wanted.rate, refundSize(terms), carried));
  return { amount, funding, feeRate, by: wanted.by, mostFee, until, tip };
}

/** What a spend may cost now, by how near its deadline is. */
export function budgetNow(
  { purpose, terms, deadline }: Pick<Spending, 'purpose' | 'terms' | 'deadline'>,
  { amount, minedIn }: { readonly amount: Sats; readonly minedIn: number | null },
  tip: ChainTip | null,
  { clock, ceilings }: Pick<OnchainContext, 'clock'> & { ceilings(): ClaimCeilings },
): {
  readonly mostFee: Sats;
  /** Until when it may be no more. */
  readonly until: Unix | null;
  /** The deadline, and median time past as far as the chain has come by any reading of it. */
  readonly due: Unix;
  readonly now: Unix;
} {
  const now = furthestMtp(tip, { clock }) ?? unix(0);
  const since = (height: number | null): Unix => (height === null || tip === null ? now : minedAt(height, tip));
  const from =
    purpose === 'claim' ? since(minedIn) : terms.form === 'musig' ? since(terms.refundHeight) : terms.refundLocktime;
  const due = moment(deadline, tip, { clock });
  const { most: mostFee, until } = spendBudget(amount, ceilings(), { from, deadline: due, now });
  return { mostFee, until, due, now };
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
  { purpose, terms, coin, deadline }: Spending,
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
      coin,
      amount,
      rate,
      capped,
      ...(until === null ? {} : { raiseFrom: until }),
      deadline,
      ...(purpose === 'refund' ? { yieldsTo: terms.hash } : {}),
      ...(funding.length <= mostRelayed ? { funding } : {}),
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
