import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import type { OpenJointSpend, TheirPartial } from '../../../legs/onchain/wallet-port.ts';
import type { PartialNote, PartialNotes } from '../../../store/partial-notes.ts';
import { bitcoinWalletOf, providerOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import { isClosed, ownJointNote, wasAsked } from '../onchain/fence.ts';
import { answerSpend, notWorthIt, planSpend } from '../onchain/htlc-plan.ts';
import type { SpendPlan } from '../onchain/spend-plan.ts';
import { tipNow } from '../onchain/transactions.ts';
import { preimageOf } from '../preimage.ts';
import type { ProviderContext } from './context.ts';
import { answerInTime, sentenceOf } from './patience.ts';

type Cosign = EffectOf<'provider.cosign-htlc'>;

/**
 * A coin of an HTLC that the provider spends with us, asked for once. Whatever keeps it from that is an answer as well:
 * the coin is taken by its script then, and at once where that can be.
 *
 * Loses money when wrong: our secret shown while its coin may be gone; a claim that waits for an answer; a refund of
 * ours that nothing says is ours.
 */
export async function cosignHtlc(effect: Cosign, context: ProviderContext): Promise<void> {
  const { purpose, coin, terms, key } = effect;
  const withheld = (reason: string): void => context.answer({ is: 'provider.claim-withheld', reason });
  if (isClosed(context.store.partials, coin, purpose)) return withheld('the other side has our signature on this coin');
  let plan: SpendPlan | null;
  let open: OpenJointSpend | null;
  try {
    const unsafe = await unsafeNow(effect, context);
    if (unsafe !== null) return withheld(unsafe);
    plan = await planSpend(effect, await tipNow(context), context);
    if (plan === null) return;
    const { amount, feeRate, mostFee } = plan;
    open = await bitcoinWalletOf(context.ports).openJointSpend({
      ...{ terms, key, feeRate, mostFee },
      coin: { ...coin, amount },
    });
    if (open === null) return withheld(notWorthIt(amount).message);
    // The secret leaves us with the call: a copy of the database from before it finds the note.
    if (purpose === 'claim') context.store.partials.note(ownJointNote(effect, open.spend, context.row));
  } catch (cause) {
    return withheld(sentenceOf(cause));
  }
  const signed = await answerOf(effect, open, context);
  if (isRefusal(signed)) return context.answer({ is: 'provider.declined', reason: signed.sentence });
  const made = open.join(signed);
  if (made === null)
    return context.answer({
      is: 'provider.declined',
      reason: 'What the provider answered makes no signature for our transaction.',
    });
  // From here on it may be sent: by the note its spend of the coin is known for ours.
  if (purpose === 'refund') noteQuietly(ownJointNote(effect, open.spend, context.row), context.store.partials);
  answerSpend(effect, plan, made, context, true);
}

/** Once the secret may have been shown nothing is too late any more. */
async function unsafeNow({ onlyIf, coin, purpose }: Cosign, { store, judge }: ProviderContext): Promise<string | null> {
  if (onlyIf === undefined || wasAsked(store.partials, coin, purpose)) return null;
  return judge.forbidden(onlyIf, 0);
}

function answerOf(
  { provider, swapId, purpose, terms }: Cosign,
  { spend, publicNonce, consent }: OpenJointSpend,
  context: ProviderContext,
): Promise<TheirPartial | Refusal> {
  const port = providerOf(context.ports, provider);
  const ask = { publicNonce, transaction: spend.bytes };
  return answerInTime(async (signal) =>
    purpose === 'claim'
      ? port.claimTogether(swapId, { ...ask, preimage: preimageOf(terms.hash, context) }, signal)
      : port.refundTogether(swapId, { ...ask, signature: consent }, signal),
  );
}

/** Without a note the coin comes home all the same: only a copy of the database would not know whose spend it is. */
function noteQuietly(note: PartialNote, notes: PartialNotes): void {
  try {
    notes.note(note);
  } catch {
    // The spend pays our own wallet.
  }
}
