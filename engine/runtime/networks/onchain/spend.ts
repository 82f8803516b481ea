import { locktimeOf, opensText } from '../../../legs/onchain/locktime.ts';
import { locktimePassed } from '../../../legs/timelocks.ts';
import { NotYet } from '../../not-yet.ts';
import { bitcoinWalletOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import { preimageOf } from '../preimage.ts';
import { askClient } from './claim-together.ts';
import type { OnchainContext } from './context.ts';
import { tooLateToClaim } from './first-send.ts';
import { closedTo, closeOther, isClosed, waitForNotes } from './fence.ts';
import { answerSpend, notWorthIt, planSpend } from './htlc-plan.ts';
import { furthestHeight, furthestMtp, tipNow } from './transactions.ts';

/**
 * Signs the claim or refund of a coin at an HTLC; nothing is sent before the commit that saves it. It may cost more the
 * nearer its deadline is, and never more than the coin holds (facts/faults.md 30, 59).
 */
export async function prepareHtlcSpend(effect: EffectOf<'htlc.spend'>, context: OnchainContext): Promise<void> {
  const { ports, store } = context;
  const { terms, key, purpose, coin } = effect;
  const reason = tooLateToClaim(effect, context);
  if (reason !== null)
    return context.answer({ is: 'onchain.refused', leg: 'bitcoin', txid: null, coin, why: 'late', reason });
  // Whatever a state says, and whatever a copy of the database forgot: the other side has our signature on this coin.
  if (isClosed(store.partials, coin, purpose)) throw closedTo(purpose);
  const tip = await tipNow(context);
  const ahead = { mtp: furthestMtp(tip, context), height: furthestHeight(tip, context) };
  if (purpose === 'refund' && !locktimePassed(locktimeOf(terms), ahead))
    throw new NotYet(null, `the refund opens ${opensText(locktimeOf(terms))}`);
  if (purpose === 'refund') await waitForNotes(effect, tip, context);
  const plan = await planSpend(effect, tip, context);
  if (plan === null) return;
  if (terms.form === 'musig') closeOther({ subject: context.row.subject, coin, purpose }, store.partials);
  const { amount, feeRate, mostFee } = plan;
  const made = await bitcoinWalletOf(ports).prepareHtlcSpend({
    terms,
    key,
    coin: { ...coin, amount },
    ...(purpose === 'claim' ? { preimage: preimageOf(terms.hash, context) } : {}),
    feeRate,
    mostFee,
  });
  if (made === null) throw notWorthIt(amount);
  await askClient(effect, plan, made, context);
  await context.together(() => answerSpend(effect, plan, made, context));
}
