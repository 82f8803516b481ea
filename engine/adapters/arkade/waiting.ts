import { base64 } from './base64.ts';
import { portFailure } from './failures.ts';
import type { Operator } from './operator.ts';
import { intentsMessage, pendingMessage, signedProof, type ProofInput, type ProofLife } from './proofs.ts';

/** The PSBTs of what waits at the operator over the coins of a proof. Any leaf of ours proves; nothing is changed. */
export async function waitingOver(
  operator: Operator,
  life: ProofLife,
  look: { proofs: readonly ProofInput[]; secret: Uint8Array; where: 'queue' | 'pending' },
): Promise<Uint8Array[]> {
  const { proofs, secret, where } = look;
  try {
    if (where === 'queue') {
      const { proof, message } = signedProof(intentsMessage(life), proofs, [], secret);
      const queued = await operator.call('queued intents', 'read', (ark) => ark.getIntents({ proof, message }));
      return queued.map((intent) => base64.decode(intent.proof));
    }
    const { proof, message } = signedProof(pendingMessage(life), proofs, [], secret);
    const pending = await operator.call('pending', 'read', (ark) => ark.getPendingTxs({ proof, message }));
    return pending.map(({ finalArkTx }) => base64.decode(finalArkTx));
  } catch (error) {
    throw portFailure('what waits over a coin', 'read', error);
  }
}
