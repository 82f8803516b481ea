import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import {
  buildOffchainTx,
  ConditionWitness,
  CSVMultisigTapscript,
  Intent,
  setArkPsbtField,
  Transaction,
  VtxoTaprootTree,
} from '@arkade-os/sdk';
import { hex } from '@scure/base';
import { SigHash } from '@scure/btc-signer';
import { asPublicKey, asXOnly } from '../../../engine/domain/hash.ts';
import { sats } from '../../../engine/domain/money.ts';
import { seconds, unix } from '../../../engine/domain/time.ts';
import type { CollabRefund, DelegateRefund } from '../../../engine/legs/arkade/refund-request.ts';
import type { Vtxo } from '../../../engine/legs/arkade/vtxo.ts';
import type { Leaf } from '../../../engine/legs/tapscript.ts';
import { hash160, vhtlcScript } from '../../../engine/legs/arkade/script.ts';
import type { VhtlcTerms } from '../../../engine/legs/arkade/terms.ts';

/** Throw-away keys by role. */
export const secret = {
  sender: new Uint8Array(32).fill(0x11),
  receiver: new Uint8Array(32).fill(0x22),
  operator: new Uint8Array(32).fill(0x33),
  stranger: new Uint8Array(32).fill(0x44),
  delegate: new Uint8Array(32).fill(0x55),
} as const;

export const preimage = new Uint8Array(32).fill(0x07);
export const now = unix(1_900_000_000);
export const cosignerKey = asPublicKey(secp256k1.getPublicKey(secret.delegate, true));
export const dust = sats(330);
export const forfeitScript = Uint8Array.from([0, 20, ...new Uint8Array(20).fill(9)]);
export const clientScript = Uint8Array.from([0x51, 0x20, ...schnorr.getPublicKey(secret.stranger)]);

export const unroll = CSVMultisigTapscript.encode({
  timelock: { type: 'seconds', value: 512n },
  pubkeys: [schnorr.getPublicKey(secret.operator)],
});

export const terms: VhtlcTerms = {
  sender: asXOnly(schnorr.getPublicKey(secret.sender)),
  receiver: asXOnly(schnorr.getPublicKey(secret.receiver)),
  operator: asXOnly(schnorr.getPublicKey(secret.operator)),
  hash: hash160(preimage),
  refundLocktime: unix(1_900_086_400),
  claimDelay: seconds(512),
  refundDelay: seconds(1024),
  refundWithoutReceiverDelay: seconds(1536),
};

export const script = vhtlcScript(terms);

export function coinOf(n: number, changes: Partial<Vtxo> = {}): Vtxo {
  return {
    outpoint: { txid: hex.encode(new Uint8Array(32).fill(n)), vout: 0 },
    script: script.pkScript,
    amount: sats(50_000 + n),
    createdAt: unix(now - 100 + n),
    expiresAt: unix(now + 700_000),
    recoverable: false,
    unrolled: false,
    spent: false,
    spentIn: null,
    spentBy: null,
    settledBy: null,
    ...changes,
  };
}

/** An Arkade transaction as a client of the SDK builds it. */
export function spend(
  leaf: Leaf,
  coins: readonly Vtxo[],
  signers: readonly Uint8Array[],
  options: { condition?: Uint8Array[]; outputs?: { script: Uint8Array; amount: bigint }[]; tapTree?: Uint8Array } = {},
): { arkTx: Transaction; checkpoints: Transaction[] } {
  const built = buildOffchainTx(
    coins.map((coin) => ({
      ...coin.outpoint,
      value: Number(coin.amount),
      tapLeafScript: leaf.tapLeaf,
      tapTree: options.tapTree ?? script.tapTree,
    })),
    options.outputs ?? [{ script: clientScript, amount: coins.reduce((sum, { amount }) => sum + amount, 0n) }],
    unroll,
  );
  const arkTx = built.arkTx as Transaction;
  const checkpoints = built.checkpoints as Transaction[];
  for (let i = 0; i < coins.length; i++)
    if (options.condition) setArkPsbtField(arkTx, i, ConditionWitness, options.condition);
  for (const key of signers) {
    for (let i = 0; i < coins.length; i++) arkTx.signIdx(key, i);
    for (const checkpoint of checkpoints) checkpoint.signIdx(key, 0);
  }
  return { arkTx, checkpoints };
}

export function collabRefund(
  coins: readonly Vtxo[],
  signers: readonly Uint8Array[] = [secret.sender],
): { arkTx: Transaction; checkpoints: Transaction[] } {
  return spend(script.leaf.refund, coins, signers);
}

export function packCollab({
  arkTx,
  checkpoints,
}: {
  arkTx: Transaction;
  checkpoints: readonly Transaction[];
}): CollabRefund {
  return { arkTx: arkTx.toPSBT(), checkpoints: checkpoints.map((tx) => tx.toPSBT()) };
}

/** Sets fields of an input behind the library's back, signed or not. */
export function poke(tx: Transaction, index: number, fields: Record<string, unknown>): void {
  Object.assign((tx as unknown as { inputs: Record<string, unknown>[] }).inputs[index] ?? {}, fields);
}

export interface ProofChanges {
  message?: Partial<Intent.RegisterMessage>;
  /** Replaces the whole text, for messages that no client would write. */
  text?: string;
  leaf?: Leaf;
  sequence?: number;
  sighash?: SigHash;
  signer?: Uint8Array;
  outputs?: { script: Uint8Array; amount: bigint }[];
  amount?: (coin: Vtxo) => bigint;
  script?: Uint8Array;
  tapTree?: Uint8Array;
}

export function intentProof(coins: readonly Vtxo[], changes: ProofChanges = {}): Uint8Array {
  const message: Intent.RegisterMessage = {
    type: 'register',
    onchain_output_indexes: [],
    valid_at: now,
    expire_at: now + 120,
    cosigners_public_keys: [hex.encode(cosignerKey)],
    ...changes.message,
  };
  const proof = Intent.create(
    changes.text ?? message,
    coins.map((coin) => ({
      txid: hex.decode(coin.outpoint.txid),
      index: coin.outpoint.vout,
      witnessUtxo: { script: changes.script ?? script.pkScript, amount: changes.amount?.(coin) ?? coin.amount },
      sequence: changes.sequence ?? 0xffff_ffff,
      tapLeafScript: [(changes.leaf ?? script.leaf.refund).tapLeaf],
      unknown: [VtxoTaprootTree.encode(changes.tapTree ?? script.tapTree)],
    })),
    changes.outputs ?? [{ script: clientScript, amount: coins.reduce((sum, { amount }) => sum + amount, 0n) }],
  );
  const sighash = changes.sighash ?? SigHash.ALL;
  for (let i = 0; i < proof.inputsLength; i++) poke(proof, i, { sighashType: sighash });
  for (let i = 0; i < proof.inputsLength; i++) proof.signIdx(changes.signer ?? secret.sender, i, [sighash]);
  return proof.toPSBT();
}

export interface ForfeitChanges {
  version?: number;
  lockTime?: number;
  sequence?: number;
  sighash?: SigHash;
  signer?: Uint8Array;
  to?: Uint8Array;
  amount?: bigint;
  anchor?: { script: Uint8Array; amount: bigint } | null;
  leaf?: Leaf;
  second?: Vtxo;
}

export function forfeit(coin: Vtxo, changes: ForfeitChanges = {}): Uint8Array {
  const tx = new Transaction({ version: changes.version ?? 3, lockTime: changes.lockTime ?? 0 });
  const sighashType = changes.sighash ?? SigHash.ALL_ANYONECANPAY;
  for (const each of [coin, ...(changes.second ? [changes.second] : [])]) {
    tx.addInput({
      txid: each.outpoint.txid,
      index: each.outpoint.vout,
      sequence: changes.sequence ?? 0xffff_ffff,
      witnessUtxo: { script: script.pkScript, amount: each.amount },
      sighashType,
      tapLeafScript: [(changes.leaf ?? script.leaf.refund).tapLeaf],
    });
  }
  tx.addOutput({ script: changes.to ?? forfeitScript, amount: changes.amount ?? coin.amount + dust });
  const anchor =
    changes.anchor === undefined ? { script: Uint8Array.of(0x51, 0x02, 0x4e, 0x73), amount: 0n } : changes.anchor;
  if (anchor) tx.addOutput(anchor);
  for (let i = 0; i < tx.inputsLength; i++) tx.signIdx(changes.signer ?? secret.sender, i, [sighashType]);
  return tx.toPSBT();
}

export function delegateRefund(coins: readonly Vtxo[], changes: ProofChanges = {}): DelegateRefund {
  return { intentProof: intentProof(coins, changes), forfeits: coins.map((coin) => forfeit(coin)) };
}
