import { hex } from '@scure/base';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import { arkadeFailure } from '../../legs/arkade/failures.ts';
import { base64 } from './base64.ts';
import type { KeyRef } from '../../legs/signer.ts';

/**
 * What the opaque bytes of a prepared transaction hold. Checkpoints are kept twice: `bare` is what the operator is
 * shown first, `signed` carries the owners' signatures and the preimage, and leaves the node only with `finalize`.
 */
export interface Prepared {
  readonly txid: Txid;
  readonly inputs: readonly Outpoint[];
  readonly output: Outpoint & { readonly amount: bigint };
  /** Signed by every owner. */
  readonly arkTx: Uint8Array;
  readonly bare: readonly Uint8Array[];
  readonly signed: readonly Uint8Array[];
  /** Who can prove to the operator that the inputs are ours; null when only signatures of others are at hand. */
  readonly key: KeyRef | null;
  /** The checkpoints with all signatures, the operator's too, once it accepted. */
  readonly accepted: readonly Uint8Array[] | null;
  /** The Arkade transaction with all of them; null before, and in bytes of an older build. */
  readonly whole: Uint8Array | null;
}

const version = 1;

interface Stored {
  readonly v: number;
  readonly txid: string;
  readonly inputs: readonly Outpoint[];
  readonly output: { readonly txid: string; readonly vout: number; readonly amount: string };
  readonly ark: string;
  readonly bare: readonly string[];
  readonly signed: readonly string[];
  readonly key: KeyRef | null;
  readonly accepted: readonly string[] | null;
  readonly whole?: string | null;
}

export function packPrepared(prepared: Prepared): Uint8Array {
  const stored: Stored = {
    v: version,
    txid: prepared.txid,
    inputs: prepared.inputs,
    output: { txid: prepared.output.txid, vout: prepared.output.vout, amount: prepared.output.amount.toString() },
    ark: base64.encode(prepared.arkTx),
    bare: prepared.bare.map((tx) => base64.encode(tx)),
    signed: prepared.signed.map((tx) => base64.encode(tx)),
    key: prepared.key,
    accepted: prepared.accepted && prepared.accepted.map((tx) => base64.encode(tx)),
    whole: prepared.whole && base64.encode(prepared.whole),
  };
  return new TextEncoder().encode(JSON.stringify(stored));
}

export function unpackPrepared(bytes: Uint8Array): Prepared {
  let stored: Stored;
  try {
    stored = JSON.parse(new TextDecoder().decode(bytes)) as Stored;
  } catch {
    throw arkadeFailure('bad-prepared', 'never', 'the saved Arkade transaction cannot be read');
  }
  if (stored.v !== version || hex.decode(stored.txid).length !== 32)
    throw arkadeFailure(
      'bad-prepared',
      'never',
      `the saved Arkade transaction has form ${stored.v}, this program reads ${version}`,
    );
  return {
    txid: stored.txid,
    inputs: stored.inputs,
    output: { ...stored.output, amount: BigInt(stored.output.amount) },
    arkTx: base64.decode(stored.ark),
    bare: stored.bare.map((tx) => base64.decode(tx)),
    signed: stored.signed.map((tx) => base64.decode(tx)),
    key: stored.key,
    accepted: stored.accepted && stored.accepted.map((tx) => base64.decode(tx)),
    whole: stored.whole ? base64.decode(stored.whole) : null,
  };
}
