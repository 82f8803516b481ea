import { ConditionWitness, Intent, type Transaction, VtxoTaprootTree } from '@arkade-os/sdk';
import { hex } from '@scure/base';
import { SigHash } from '@scure/btc-signer';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Outpoint } from '../../domain/outpoint.ts';
import { unix, type Unix } from '../../domain/time.ts';
import { latestByChain } from '../../legs/timelocks.ts';
import { defaultPolicy } from '../../legs/timeout-policy.ts';
import { finalSequence, lockedSequence } from '../../legs/arkade/offchain.ts';
import type { Vtxo } from '../../legs/arkade/vtxo.ts';
import type { TapLeaf } from '../../legs/tapscript.ts';
import { base64 } from './base64.ts';
import { allInputs, signInputs } from './build.ts';
import type { Payment, SpendInput } from './build.ts';

/** A coin as an intent proof spends it. */
export interface ProofInput {
  readonly outpoint: Outpoint;
  readonly amount: bigint;
  readonly script: Uint8Array;
  readonly tapLeaf: TapLeaf;
  readonly tapTree: Uint8Array;
  readonly condition?: readonly Uint8Array[];
  /**
   * A leaf with a locktime: its sequence must not be final, and must not be the locktime either (facts/arkade.md 35).
   */
  readonly locked: boolean;
}

/** `coins` are those of the inputs, in their order. */
export function proofInputs(inputs: readonly SpendInput[], coins: readonly Vtxo[], locked: boolean): ProofInput[] {
  return inputs.map((input, i) => ({
    outpoint: input.coin.outpoint,
    amount: input.coin.amount,
    script: (coins[i] as Vtxo).script,
    tapLeaf: input.leaf.tapLeaf,
    tapTree: input.tapTree,
    locked,
    ...(input.condition ? { condition: input.condition } : {}),
  }));
}

/** From when until when the operator takes a proof, by its own clock. */
export interface ProofLife {
  readonly from: Unix;
  readonly until: Unix;
}

/** Seconds for which a proof counts after the latest moment that it can be made at. */
const longestWay = 120;

/**
 * A proof must be valid now by the operator's clock, which a wall that is a second ahead or two minutes behind misses:
 * so it counts from the earliest that it can be by wall and chain until after the latest. Refused, no coin is renewed
 * and none that expired is claimed (facts/faults.md 45). What it lets the operator do is the same at any time: nothing
 * without our next signature.
 */
export function proofLife({ wall, mtp }: { wall(): Unix; mtp(): Unix | null }): ProofLife {
  const [now, chain] = [wall(), mtp()];
  if (chain === null) return { from: now, until: unix(now + longestWay) };
  return {
    from: unix(Math.min(now, chain)),
    until: unix(Math.max(now, latestByChain({ mtp: chain }, defaultPolicy)) + longestWay),
  };
}

export interface SignedProof<M extends Intent.Message | string> {
  readonly proof: string;
  readonly message: M;
  readonly tx: Transaction;
}

/** An intent proof signed by one key on every input. */
export function signedProof<M extends Intent.Message | string>(
  message: M,
  inputs: readonly ProofInput[],
  outputs: readonly Payment[],
  secret: Uint8Array,
): SignedProof<M> {
  const proof = Intent.create(
    message,
    inputs.map((input) => ({
      txid: hex.decode(input.outpoint.txid),
      index: input.outpoint.vout,
      witnessUtxo: { script: input.script, amount: input.amount },
      sequence: input.locked ? lockedSequence : finalSequence,
      tapLeafScript: [input.tapLeaf],
      unknown: [
        VtxoTaprootTree.encode(input.tapTree),
        ...(input.condition ? [ConditionWitness.encode([...input.condition])] : []),
      ],
    })),
    outputs.map((output) => ({ ...output })),
  );
  signInputs(proof, secret, allInputs(proof), SigHash.ALL);
  return { proof: base64.encode(proof.toPSBT()), message, tx: proof };
}

export function pendingMessage({ until }: ProofLife): Intent.GetPendingTxMessage {
  return { type: 'get-pending-tx', expire_at: until };
}

/** As text: the SDK does not know this message. */
export function intentsMessage({ until }: ProofLife): string {
  return JSON.stringify({ type: 'get-intent', expire_at: until });
}

export function deleteMessage({ until }: ProofLife): Intent.DeleteMessage {
  return { type: 'delete', expire_at: until };
}

export function registerMessage({ from, until }: ProofLife, cosigner: Uint8Array): Intent.RegisterMessage {
  return {
    type: 'register',
    onchain_output_indexes: [],
    valid_at: from,
    expire_at: until,
    cosigners_public_keys: [hex.encode(cosigner)],
  };
}

/** How a batch names the intents it took. */
export function intentIdHash(intentId: string): string {
  return hex.encode(sha256(new TextEncoder().encode(intentId)));
}
