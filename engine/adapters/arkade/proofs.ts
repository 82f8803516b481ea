import { ConditionWitness, Intent, type Transaction, VtxoTaprootTree } from '@arkade-os/sdk';
import { base64, hex } from '@scure/base';
import { SigHash } from '@scure/btc-signer';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Outpoint } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import { finalSequence, lockedSequence } from '../../legs/vhtlc/offchain.ts';
import type { TapLeaf } from '../../legs/vhtlc/script.ts';
import { allInputs, signInputs } from './build.ts';
import type { Payment } from './build.ts';

/** A coin as an intent proof spends it. */
export interface ProofInput {
  readonly outpoint: Outpoint;
  readonly amount: bigint;
  readonly script: Uint8Array;
  readonly tapLeaf: TapLeaf;
  readonly tapTree: Uint8Array;
  readonly condition?: readonly Uint8Array[];
  /** A leaf with a locktime: its sequence must not be final, and must not be the locktime either (arkade.md 1.6). */
  readonly locked: boolean;
}

/** How long an intent of ours may be used, in seconds. */
export const intentLife = 120;

export interface SignedProof<M extends Intent.Message | string> {
  readonly proof: string;
  readonly message: M;
  readonly tx: Transaction;
}

/** An intent proof signed by one key on every input. */
export function signedProof<M extends Intent.Message | string>(message: M, inputs: readonly ProofInput[], outputs: readonly Payment[], secret: Uint8Array): SignedProof<M> {
  const proof = Intent.create(
    message,
    inputs.map((input) => ({
      txid: hex.decode(input.outpoint.txid),
      index: input.outpoint.vout,
      witnessUtxo: { script: input.script, amount: input.amount },
      sequence: input.locked ? lockedSequence : finalSequence,
      tapLeafScript: [input.tapLeaf],
      unknown: [VtxoTaprootTree.encode(input.tapTree), ...(input.condition ? [ConditionWitness.encode([...input.condition])] : [])],
    })),
    outputs.map((output) => ({ ...output })),
  );
  signInputs(proof, secret, allInputs(proof), SigHash.ALL);
  return { proof: base64.encode(proof.toPSBT()), message, tx: proof };
}

export function pendingMessage(now: Unix): Intent.GetPendingTxMessage {
  return { type: 'get-pending-tx', expire_at: now + intentLife };
}

/** As text: the SDK does not know this message. */
export function intentsMessage(now: Unix): string {
  return JSON.stringify({ type: 'get-intent', expire_at: now + intentLife });
}

export function deleteMessage(now: Unix): Intent.DeleteMessage {
  return { type: 'delete', expire_at: now + intentLife };
}

export function registerMessage(now: Unix, cosigner: Uint8Array): Intent.RegisterMessage {
  return { type: 'register', onchain_output_indexes: [], valid_at: now, expire_at: now + intentLife, cosigners_public_keys: [hex.encode(cosigner)] };
}

/** How a batch names the intents it took. */
export function intentIdHash(intentId: string): string {
  return hex.encode(sha256(new TextEncoder().encode(intentId)));
}
