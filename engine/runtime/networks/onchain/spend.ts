import { btcOn } from '../../../domain/money.ts';
import { unix, type Unix } from '../../../domain/time.ts';
import { buried } from '../../../legs/onchain/depth.ts';
import { onchainFailure } from '../../../legs/onchain/failures.ts';
import { locktimeOf, opensText } from '../../../legs/onchain/locktime.ts';
import { locktimePassed } from '../../../legs/timelocks.ts';
import { spendBudget } from '../../../quote/ceilings.ts';
import { NotYet } from '../../not-yet.ts';
import { bitcoinOf, bitcoinWalletOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import type { OnchainContext } from './context.ts';
import { preimageOf } from '../preimage.ts';
import { closedTo, closeOther, isClosed } from './fence.ts';
import { noteFee, rateText } from './note.ts';
import { noteSpent } from './outlay.ts';
import {
  brought,
  furthestHeight,
  furthestMtp,
  isOurs,
  minedAt,
  moment,
  showing,
  showsSecret,
  tipNow,
} from './transactions.ts';
import { wantedRate } from './wanted-rate.ts';

/**
 * Bytes: of what weighs more no mempool takes any (BIP-141 counts a byte as one unit of weight at least, policy allows
 * 400,000).
 */
const mostRelayed = 400_000;

/**
 * Signs the claim or refund of a coin at an HTLC; nothing is sent before the commit that saves it. It may cost more the
 * nearer its deadline is, and never more than the coin holds (facts/faults.md 30, 59).
 */
export async function prepareHtlcSpend(effect: EffectOf<'htlc.spend'>, context: OnchainContext): Promise<void> {
  const { ports, clock, answer, ceilings, store } = context;
  const { terms, key, purpose, coin, leastRate, deadline } = effect;
  // Whatever a state says, and whatever a copy of the database forgot: the other side has our signature on this coin.
  if (isClosed(store.partials, coin, purpose)) throw closedTo(purpose);
  const bitcoin = bitcoinOf(ports);
  const tip = await tipNow(context);
  const now = furthestMtp(tip, context);
  const ahead = { mtp: now, height: furthestHeight(tip, context) };
  if (purpose === 'refund' && !locktimePassed(locktimeOf(terms), ahead))
    throw new NotYet(null, `the refund opens ${opensText(locktimeOf(terms))}`);
  const { amount, minedIn, bytes: funding } = await brought(bitcoin, effect.script, coin, effect.funding);
  const spend = await bitcoin.spend(coin, showing(terms.hash, coin));
  if (spend !== null && !isOurs(spend, context)) {
    // One that is not buried may be a reorganisation's or a liar's: ours is sent against it, unless it shows the
    // secret.
    if (buried(spend.height, tip?.height ?? null))
      return answer({
        is: 'onchain.refused',
        leg: 'bitcoin',
        txid: spend.txid,
        why: 'spent',
        reason: 'the coin is spent on the chain',
      });
    if (purpose === 'refund' && (await showsSecret(spend, { hash: terms.hash, coin, bitcoin })))
      throw new NotYet(null, 'the coin is being claimed with its secret');
  }
  const reading = now ?? unix(0);
  const since = (height: number | null): Unix => (height === null || tip === null ? reading : minedAt(height, tip));
  const from =
    purpose === 'claim' ? since(minedIn) : terms.form === 'musig' ? since(terms.refundHeight) : terms.refundLocktime;
  const due = moment(deadline, tip, context);
  const { most, until } = spendBudget(amount, ceilings(), { from, deadline: due, now: reading });
  const wanted = await wantedRate(bitcoin, { deadline: due, now: reading, doubtAbove: 0 });
  if (terms.form === 'musig') closeOther({ subject: context.row.subject, coin, purpose }, store.partials);
  const made = await bitcoinWalletOf(ports).prepareHtlcSpend({
    terms,
    key,
    coin: { ...coin, amount },
    ...(purpose === 'claim' ? { preimage: preimageOf(terms.hash, context) } : {}),
    feeRate: Math.max(leastRate, wanted.rate),
    mostFee: most,
  });
  if (made === null)
    throw onchainFailure(
      'dust',
      'never',
      `the coin holds ${amount} sats, less than the smallest fee and an output need`,
    );
  const { txid, bytes, fee, rate, capped } = made;
  const note = noteFee(
    context,
    `${purpose} prepared at ${rateText(rate)} by ${wanted.by}, ${fee} of ${amount} ` +
      `sats${capped ? ', the most that it may cost now' : ''}`,
  );
  answer(
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
      height: tip?.height ?? clock.tip()?.height ?? 0,
    },
    {
      ifMoved(store, time) {
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
