import { hasCome } from '../../../legs/timelocks.ts';
import type { HtlcSpend } from '../../../legs/onchain/htlc-spend.ts';
import { isStorageFailure } from '../../../store/failure.ts';
import { NotYet } from '../../not-yet.ts';
import { bitcoinWalletOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import type { OnchainContext } from './context.ts';
import { ownJointNote } from './fence.ts';
import { answerSpend } from './htlc-plan.ts';
import type { SpendPlan } from './spend-plan.ts';

/*
 * A client's coin is claimed by the key of both where its client is there: cheaper, and it looks like any payment. It
 * is asked once, before anything was sent, while the script has time to spare, and for no longer than
 * `joint-claims.ts` says; whatever keeps it from that is no failure, for the claim by the script is on the disk.
 *
 * Loses money when wrong: a claim that is held back with no end; one that was sent and that nothing says is ours.
 */

/** The client may be asked from now on, beside the claim by the script that `alone` is. Nothing is sent or saved. */
export async function askClient(
  effect: EffectOf<'htlc.spend'>,
  plan: SpendPlan,
  alone: HtlcSpend,
  { ports, clock, row: { subject }, jointClaims }: OnchainContext,
): Promise<void> {
  const { terms, key, coin, asksUntil } = effect;
  jointClaims.end(subject);
  if (asksUntil === undefined || terms.form !== 'musig' || hasCome(asksUntil, clock.now())) return;
  const { amount, feeRate, mostFee } = plan;
  const ask = { terms, key, coin: { ...coin, amount }, feeRate, mostFee };
  try {
    const open = await bitcoinWalletOf(ports).openJointSpend(ask);
    if (open !== null) jointClaims.ask({ subject, alone: alone.txid, effect, plan, asksUntil, open });
  } catch {
    // By the script it goes all the same.
  }
}

/**
 * Before a claim by the script is sent for the first time: true where the one by the key of both was saved in its
 * place. Throws while its client is waited for, and for no disk: the one by the script is on it (facts/faults.md 199).
 */
export async function claimedTogether(
  { txid }: EffectOf<'onchain.broadcast'>,
  context: OnchainContext,
): Promise<boolean> {
  const { store, clock, row, jointClaims } = context;
  const { subject } = row;
  const held = jointClaims.of(subject, txid);
  if (held === null) return false;
  const { effect, plan, asksUntil, spend, made, leftMs } = held;
  // In a mempool it can be replaced, and at a higher fee than its own.
  const isOut = store.transactions.byId(txid)?.state !== 'prepared';
  if (isOut || (made === null && (leftMs === 0 || hasCome(asksUntil, clock.now())))) {
    jointClaims.end(subject);
    return false;
  }
  if (made === null) throw new NotYet(Math.ceil(leftMs / 1_000), 'its client is asked to sign it with us');
  jointClaims.end(subject);
  try {
    if (!(await store.partials.note(ownJointNote(effect, spend, row)))) return false;
  } catch {
    // What nobody could tell from a stranger's spend is not sent.
    return false;
  }
  try {
    await context.together(() => answerSpend(effect, plan, made, context, true));
    return true;
  } catch (cause) {
    if (!isStorageFailure(cause)) throw cause;
    return false;
  }
}
