import { isRefusal, PortFailure, type Refusal } from '../../../domain/errors.ts';
import type { OpenJointSpend, TheirPartial } from '../../../legs/onchain/wallet-port.ts';
import type { PartialNote, PartialNotes } from '../../../store/partial-notes.ts';
import { bitcoinWalletOf, providerOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import { isClosed, ownJointNote, wasAsked } from '../onchain/fence.ts';
import { answerSpend, notWorthIt, planSpend } from '../onchain/htlc-plan.ts';
import type { SpendPlan } from '../onchain/spend-plan.ts';
import { tipNow } from '../onchain/transactions.ts';
import { preimageOf } from '../preimage.ts';
import { judgedOnceNoted } from '../shown-first.ts';
import type { ProviderContext } from './context.ts';
import { answerInTime, sentenceOf } from './patience.ts';

type Cosign = EffectOf<'provider.cosign-htlc'>;

/** The provider that is asked was not reached: it heard nothing. */
interface Unreached {
  readonly unreached: string;
}

type Ask = (signal: AbortSignal) => Promise<TheirPartial | Refusal>;

/**
 * A coin of an HTLC that the provider spends with us, asked for once. Whatever keeps it from that is an answer as well:
 * the coin is taken by its script then, and at once where that can be.
 *
 * Loses money when wrong: our secret shown while its coin may be gone; a secret called shown that nobody heard; a claim
 * that waits for an answer; a refund of ours that nothing says is ours.
 */
export async function cosignHtlc(effect: Cosign, context: ProviderContext): Promise<void> {
  const { purpose, coin, terms, key } = effect;
  const { partials } = context.store;
  const withheld = (reason: string): void => context.answer({ is: 'provider.claim-withheld', reason });
  const declined = (reason: string): void => context.answer({ is: 'provider.declined', reason });
  if (isClosed(partials, coin, purpose)) return withheld('the other side has our signature on this coin');
  let plan: SpendPlan | null;
  let open: OpenJointSpend | null;
  let ask: Ask;
  let isShown: boolean;
  try {
    plan = await planSpend(effect, await tipNow(context), context);
    if (plan === null) return;
    const { amount, feeRate, mostFee } = plan;
    open = await bitcoinWalletOf(context.ports).openJointSpend({
      ...{ terms, key, feeRate, mostFee },
      coin: { ...coin, amount },
    });
    if (open === null) return withheld(notWorthIt(amount).message);
    ask = askOf(effect, open, context);
    isShown = wasAsked(partials, coin, purpose);
    // The last await before the secret leaves: whatever hangs, hangs before it.
    const unsafe = await unsafeOnceNoted(effect, open, isShown, context);
    if (unsafe !== null) return withheld(unsafe);
  } catch (cause) {
    return withheld(sentenceOf(cause));
  }
  const signed = await answerInTime((signal) => orUnreached(ask(signal)));
  if ('unreached' in signed) {
    // An earlier call may have brought it all the same.
    if (purpose === 'refund' || isShown) return declined(signed.unreached);
    await partials.takeBack(ownJointNote(effect, open.spend, context.row));
    await context.bundled();
    return withheld(signed.unreached);
  }
  if (isRefusal(signed)) return declined(signed.sentence);
  const made = open.join(signed);
  if (made === null) return declined('The provider’s answer is no valid signature for our transaction.');
  // From here on it may be sent: by the note its spend of the coin is known for ours.
  if (purpose === 'refund') noteQuietly(ownJointNote(effect, open.spend, context.row), partials);
  answerSpend(effect, plan, made, context, true);
}

/** Why the provider may not be asked now; else it is noted that it is, wherever that counts. */
async function unsafeOnceNoted(
  effect: Cosign,
  { spend }: OpenJointSpend,
  isShown: boolean,
  context: ProviderContext,
): Promise<string | null> {
  const { partials } = context.store;
  const look = (): Promise<string | null> => unsafeNow(effect, context);
  const unsafe = isShown ? null : await look();
  if (unsafe !== null || effect.purpose !== 'claim') return unsafe;
  const note = ownJointNote(effect, spend, context.row);
  const make = (): Promise<void> => noteClaim(note, partials, isShown);
  if (!isShown) return judgedOnceNoted(look, { make, drop: () => partials.takeBack(note), bundled: context.bundled });
  await make();
  return null;
}

async function unsafeNow({ onlyIf }: Cosign, { judge }: ProviderContext): Promise<string | null> {
  return onlyIf === undefined ? null : judge.forbidden(onlyIf, 0);
}

/** With all that it takes at hand: nothing but the call itself fails from here on. */
function askOf(
  { provider, swapId, purpose, terms }: Cosign,
  { spend, publicNonce, consent }: OpenJointSpend,
  context: ProviderContext,
): Ask {
  const port = providerOf(context.ports, provider);
  const ask = { publicNonce, transaction: spend.bytes };
  if (purpose === 'refund') return (signal) => port.refundTogether(swapId, { ...ask, signature: consent }, signal);
  const preimage = preimageOf(terms.hash, context);
  return (signal) => port.claimTogether(swapId, { ...ask, preimage }, signal);
}

/**
 * The secret leaves us with the call: a copy of the database from before it finds the note. One that not every place
 * takes lets nobody be asked, and says nothing.
 */
async function noteClaim(note: PartialNote, notes: PartialNotes, isShown: boolean): Promise<void> {
  try {
    if (!(await notes.note(note))) throw new Error('what is given cannot be noted in every place');
  } catch (cause) {
    if (!isShown) await notes.takeBack(note);
    throw cause;
  }
}

async function orUnreached<T>(answer: Promise<T>): Promise<T | Unreached> {
  try {
    return await answer;
  } catch (cause) {
    if (cause instanceof PortFailure && cause.retry === 'safe') return { unreached: cause.message };
    throw cause;
  }
}

/** Without a note the coin comes home all the same: only a copy of the database would not know whose spend it is. */
function noteQuietly(note: PartialNote, notes: PartialNotes): void {
  try {
    notes.note(note).catch(() => false);
  } catch {
    // The spend pays our own wallet.
  }
}
