import { asHash160 } from '../../domain/hash.ts';
import { preimageIn } from '../../legs/arkade/spend.ts';
import type { SubmitAnswer } from '../../legs/arkade/transaction.ts';
import { claimHashes } from './accepted.ts';
import { operatorCode, operatorError, portFailure } from './failures.ts';
import type { ArkadeOptions, Operator } from './operator.ts';
import { readOnlyPsbt } from './parsed.ts';
import type { Prepared } from './prepared.ts';
import { deleteMessage, proofLife, signedProof } from './proofs.ts';
import { ownProof, type OwnProof } from './tx-state.ts';
import { waitingOver } from './waiting.ts';

/** Seconds after which a transaction over a registered coin is tried again. */
export const registeredWait = 0.25;

/** Somebody holds a coin back for a batch. Withdrawn, unless it is a claim that our refund would push aside. */
export async function afterRegistration(
  options: ArkadeOptions,
  operator: Operator,
  prepared: Prepared,
): Promise<SubmitAnswer | 'withdrawn'> {
  const proof = ownProof(options, prepared);
  if (proof && (await claimWaits(options, operator, prepared, proof)))
    return { is: 'later', reason: 'the other party has registered its claim for a batch', seconds: 1 };
  if (proof && (await withdraw(options, operator, proof))) return 'withdrawn';
  return {
    is: 'later',
    reason: 'a round holds the coin, which somebody registered for it',
    seconds: registeredWait,
  };
}

async function claimWaits(
  options: ArkadeOptions,
  operator: Operator,
  prepared: Prepared,
  proof: OwnProof,
): Promise<boolean> {
  const hashes = prepared.signed.flatMap((bytes) => claimHashes(readOnlyPsbt(bytes)));
  if (hashes.length === 0) return false;
  const queued = await waitingOver(operator, proofLife(options.clock), {
    proofs: proof.inputs,
    secret: proof.secret,
    where: 'queue',
  });
  return queued.some((bytes) => hashes.some((hash) => preimageIn(asHash160(hash), bytes) !== null));
}

async function withdraw(options: ArkadeOptions, operator: Operator, proof: OwnProof): Promise<boolean> {
  try {
    const { proof: text, message } = signedProof(
      deleteMessage(proofLife(options.clock)),
      proof.inputs,
      [],
      proof.secret,
    );
    await operator.call('deleteIntent', 'write', (ark) => ark.deleteIntent({ proof: text, message }));
    return true;
  } catch (error) {
    // A round that holds the intent right now hides it: nothing to delete, and the round's end frees the coin.
    if (operatorError(error)?.code !== operatorCode.badProof) throw portFailure('deleteIntent', 'write', error);
    return false;
  }
}
