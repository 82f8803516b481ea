import { sameOutpoint } from '../../domain/outpoint.ts';
import type { ArkTxState } from '../../legs/arkade/transaction.ts';
import { xOnlyKeyOf } from '../../legs/secp256k1.ts';
import { proofInput, type OperatorReply } from './accepted.ts';
import { coinsAtOutpoints } from './coins.ts';
import { portFailure } from './failures.ts';
import type { ArkadeOptions, Operator } from './operator.ts';
import { readOnlyPsbt } from './parsed.ts';
import { unpackPrepared, type Prepared } from './prepared.ts';
import { pendingMessage, proofLife, signedProof, type ProofInput } from './proofs.ts';

export async function stateOf(options: ArkadeOptions, operator: Operator, bytes: Uint8Array): Promise<ArkTxState> {
  const prepared = unpackPrepared(bytes);
  const { state, taken } = await lookAt(options, operator, prepared);
  // With the operator's signatures kept, it can still be finalized: an operator that fell over may have forgotten it.
  return state === 'unseen' && !taken && prepared.accepted ? 'accepted' : state;
}

/** What the operator shows of a transaction that we prepared. */
export interface TxLook {
  readonly state: ArkTxState;
  /** An input went to another transaction or batch. */
  readonly taken: boolean;
  readonly reply: OperatorReply | null;
}

export async function lookAt(options: ArkadeOptions, operator: Operator, prepared: Prepared): Promise<TxLook> {
  const now = options.clock.wall();
  const coins = await coinsAtOutpoints(operator, [prepared.output, ...prepared.inputs], now);
  if (coins.some(({ outpoint }) => sameOutpoint(outpoint, prepared.output)))
    return { state: 'final', taken: false, reply: null };
  const inputs = prepared.inputs.map((input) => coins.find(({ outpoint }) => sameOutpoint(outpoint, input)));
  if (inputs.some((coin) => coin?.spentIn === prepared.txid)) return { state: 'accepted', taken: false, reply: null };
  const taken = inputs.some(
    (coin) => coin?.spent === true && (coin.spentIn !== null || coin.settledBy !== null || coin.spentBy !== null),
  );
  if (taken) return { state: 'unseen', taken, reply: null };
  const reply = await pendingReply(options, operator, prepared);
  if (reply) return { state: 'accepted', taken: false, reply };
  return { state: inputs.every((coin) => coin?.spent === false) ? 'unseen' : 'unknown', taken: false, reply: null };
}

/**
 * What the operator answered when it accepted, told again to who has a key of the coins; null where it has no such
 * transaction.
 */
export async function pendingReply(
  options: ArkadeOptions,
  operator: Operator,
  prepared: Prepared,
): Promise<OperatorReply | null> {
  const proof = ownProof(options, prepared);
  if (!proof) return null;
  const { proof: text, message } = signedProof(
    pendingMessage(proofLife(options.clock)),
    proof.inputs,
    [],
    proof.secret,
  );
  const pending = await reading('pending', () =>
    operator.call('pending', 'read', (ark) => ark.getPendingTxs({ proof: text, message })),
  );
  return pending.find(({ arkTxid }) => arkTxid === prepared.txid) ?? null;
}

export interface OwnProof {
  readonly inputs: ProofInput[];
  readonly secret: Uint8Array;
}

/** Null where we have no key that proves a coin to be ours. */
export function ownProof({ keys }: ArkadeOptions, prepared: Prepared): OwnProof | null {
  if (!prepared.key) return null;
  const secret = keys(prepared.key);
  const own = xOnlyKeyOf(secret);
  const inputs = prepared.signed.map((bytes) => proofInput(readOnlyPsbt(bytes), own));
  return inputs.every((input) => input !== null) ? { inputs: inputs as ProofInput[], secret } : null;
}

/** A read whose refusal, too, says nothing yet. */
export async function reading<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw portFailure(what, 'read', error);
  }
}
