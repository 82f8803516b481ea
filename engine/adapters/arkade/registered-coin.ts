import { asHash160, type Preimage } from '../../domain/hash.ts';
import type { Outpoint } from '../../domain/outpoint.ts';
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
  const claim = proof && (await claimWaiting(options, operator, prepared, proof));
  if (claim) return { is: 'claimed', ...claim };
  if (proof && (await withdraw(options, operator, proof))) return 'withdrawn';
  return {
    is: 'later',
    reason: 'a round holds the coin, which somebody registered for it',
    seconds: registeredWait,
  };
}

/** The other party's claim of a coin that our transaction spends by another leaf. */
async function claimWaiting(
  options: ArkadeOptions,
  operator: Operator,
  prepared: Prepared,
  proof: OwnProof,
): Promise<{ readonly coin: Outpoint; readonly preimage: Preimage } | null> {
  const hashes = prepared.signed.map((bytes) => claimHashes(readOnlyPsbt(bytes)));
  if (hashes.flat().length === 0) return null;
  const queued = await waitingOver(operator, proofLife(options.clock), {
    proofs: proof.inputs,
    secret: proof.secret,
    where: 'queue',
  });
  for (const [i, { outpoint: coin }] of proof.inputs.entries())
    for (const bytes of queued)
      for (const hash of hashes[i] ?? []) {
        const preimage = preimageIn(asHash160(hash), bytes, coin);
        if (preimage !== null) return { coin, preimage };
      }
  return null;
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
