import { ArkPsbtFieldKeyType, CSVMultisigTapscript, Transaction } from '@arkade-os/sdk';
import { SigHash } from '@scure/btc-signer';
import { Session, keyAggregate, nonceAggregate, nonceGen, sortKeys } from '@scure/btc-signer/musig2.js';
import { tapLeafHash } from '@scure/btc-signer/payment.js';
import { schnorr } from '@noble/curves/secp256k1.js';
import { toHex } from '../../../domain/hex.ts';
import { type Output, type Psbt, anchorScript } from './psbt.ts';
import { type OperatorKeys, type OperatorSettings, delayOf } from './settings.ts';
import type { KeyPair } from './key-pair.ts';

/** What an owner of a batch can be swept by after its expiry: the tweak of every tree key. */
export function sweepRoot(settings: OperatorSettings, keys: OperatorKeys): Uint8Array {
  return tapLeafHash(sweepScript(settings.vtxoExpiry, keys));
}

/** `expiry` in blocks below 512, else in seconds. */
export function sweepScript(expiry: number, keys: OperatorKeys): Uint8Array {
  return CSVMultisigTapscript.encode({ timelock: delayOf(expiry), pubkeys: [keys.forfeit.xOnly] }).script;
}

/** A set of keys that signs one tree transaction together. */
export interface Cosigners {
  /** Sorted, the operator's included. */
  readonly keys: readonly Uint8Array[];
  /** Of all of them, before the tweak. */
  readonly innerKey: Uint8Array;
  readonly tweak: Uint8Array;
  /** The output that they own together. */
  readonly script: Uint8Array;
  readonly finalKey: Uint8Array;
}

function cosignersOf(users: readonly Uint8Array[], operator: Uint8Array, root: Uint8Array): Cosigners {
  const distinct = new Map([...users, operator].map((key) => [toHex(key), key]));
  const keys = sortKeys([...distinct.values()]);
  const inner = keyAggregate(keys).aggPublicKey.toBytes(true).subarray(1);
  const tweak = schnorr.utils.taggedHash('TapTweak', inner, root);
  const finalKey = keyAggregate(keys, [tweak], [true]).aggPublicKey.toBytes(true).subarray(1);
  return { keys, innerKey: inner, tweak, finalKey, script: Uint8Array.of(0x51, 0x20, ...finalKey) };
}

export interface TreeNode {
  readonly tx: Psbt;
  readonly cosigners: Cosigners;
  /** Compressed keys in hex: users in the order of the intent, then the operator. */
  readonly topic: readonly string[];
  readonly prevout: Output;
  readonly children: Readonly<Record<string, string>>;
}

/** One leaf to come: the outputs of one intent under its own cosigners. */
export interface LeafPlan {
  readonly users: readonly Uint8Array[];
  readonly outputs: readonly Output[];
}

function sumOf(outputs: readonly Output[]): bigint {
  return outputs.reduce((sum, { amount }) => sum + amount, 0n);
}

/** The output of the commitment transaction that carries the whole tree; null for no leaves. */
export function batchOutput(leaves: readonly LeafPlan[], operator: Uint8Array, root: Uint8Array): Output | null {
  if (leaves.length === 0) return null;
  const users = leaves.flatMap((leaf) => leaf.users);
  return { script: cosignersOf(users, operator, root).script, amount: sumOf(leaves.flatMap((leaf) => leaf.outputs)) };
}

/** Root first. One leaf hangs on the commitment transaction itself; several hang on a common root. */
export function buildTree(
  commitmentTxid: string,
  leaves: readonly LeafPlan[],
  operator: Uint8Array,
  root: Uint8Array,
  expiry: number,
): TreeNode[] {
  const shared = batchOutput(leaves, operator, root);
  if (shared === null) return [];
  const [only] = leaves;
  if (leaves.length === 1 && only !== undefined)
    return [node(commitmentTxid, 0, shared, only.users, only.outputs, operator, root, expiry)];
  const branches = leaves.map((leaf) => ({
    script: cosignersOf(leaf.users, operator, root).script,
    amount: sumOf(leaf.outputs),
  }));
  const top = node(
    commitmentTxid,
    0,
    shared,
    leaves.flatMap((leaf) => leaf.users),
    branches,
    operator,
    root,
    expiry,
  );
  const under = leaves.map((leaf, i) =>
    node(top.tx.id, i, branches[i] as Output, leaf.users, leaf.outputs, operator, root, expiry),
  );
  return [{ ...top, children: Object.fromEntries(under.map(({ tx }, i) => [String(i), tx.id])) }, ...under];
}

function node(
  txid: string,
  index: number,
  prevout: Output,
  users: readonly Uint8Array[],
  outputs: readonly Output[],
  operator: Uint8Array,
  root: Uint8Array,
  expiry: number,
): TreeNode {
  const distinct = [...new Map([...users, operator].map((key) => [toHex(key), key])).values()];
  const tx = new Transaction({ version: 3 });
  tx.addInput({ txid, index });
  // Adding an input drops its unknown fields; updating it keeps them.
  tx.updateInput(0, { unknown: [...distinct.map(cosignerField), expiryField(expiry)] });
  for (const output of outputs) tx.addOutput({ script: output.script, amount: output.amount });
  tx.addOutput({ script: anchorScript, amount: 0n });
  return { tx, cosigners: cosignersOf(users, operator, root), topic: distinct.map(toHex), prevout, children: {} };
}

type UnknownField = [{ type: number; key: Uint8Array }, Uint8Array];

function cosignerField(key: Uint8Array, index: number): UnknownField {
  const name = new TextEncoder().encode('cosigner');
  return [{ type: ArkPsbtFieldKeyType, key: Uint8Array.of(...name, 0, 0, index >> 8, index & 0xff) }, key];
}

/** BIP-68. */
export function relativeSequence(delay: number): number {
  return delay < 512 ? delay : 0x0040_0000 | Math.floor(delay / 512);
}

function expiryField(expiry: number): UnknownField {
  const sequence = relativeSequence(expiry);
  const bytes: number[] = [];
  for (let rest = sequence; rest > 0; rest >>= 8) bytes.push(rest & 0xff);
  if ((bytes.at(-1) ?? 0) >= 128) bytes.push(0);
  return [{ type: ArkPsbtFieldKeyType, key: new TextEncoder().encode('expiry') }, Uint8Array.from(bytes)];
}

/** One connector per forfeit, each of dust; topics name the coin that it is meant for. */
export interface ConnectorNode {
  readonly tx: Psbt;
  readonly topic: readonly string[];
  readonly children: Readonly<Record<string, string>>;
  readonly leaf: boolean;
}

export function buildConnectors(
  commitmentTxid: string,
  vout: number,
  coins: readonly string[],
  script: Uint8Array,
  dust: number,
  operator: Uint8Array,
): ConnectorNode[] {
  const connector = (txid: string, index: number, outputs: number): Psbt => {
    const tx = new Transaction({ version: 3 });
    tx.addInput({ txid, index });
    tx.updateInput(0, { unknown: [cosignerField(operator, 0)] });
    for (let i = 0; i < outputs; i++) tx.addOutput({ script, amount: BigInt(dust) });
    tx.addOutput({ script: anchorScript, amount: 0n });
    return tx;
  };
  if (coins.length === 0) return [];
  if (coins.length === 1) return [{ tx: connector(commitmentTxid, vout, 1), topic: coins, children: {}, leaf: true }];
  const top = connector(commitmentTxid, vout, coins.length);
  const under = coins.map((coin, i) => ({ tx: connector(top.id, i, 1), topic: [coin], children: {}, leaf: true }));
  const children = Object.fromEntries(under.map(({ tx }, i) => [String(i), tx.id]));
  return [{ tx: top, topic: coins, children, leaf: false }, ...under];
}

/** The MuSig2 session of one tree transaction, from the operator's side. */
export interface NodeSession {
  readonly node: TreeNode;
  /** Public nonces by compressed key in hex, the operator's from the start. */
  readonly nonces: Map<string, Uint8Array>;
  readonly partials: Map<string, Uint8Array>;
  readonly ownNonce: { readonly public: Uint8Array; readonly secret: Uint8Array };
}

export function openNodeSession(node: TreeNode, operator: KeyPair): NodeSession {
  const ownNonce = nonceGen(operator.publicKey, operator.secret);
  return { node, nonces: new Map([[toHex(operator.publicKey), ownNonce.public]]), partials: new Map(), ownNonce };
}

export function aggregateNonce(session: NodeSession): Uint8Array {
  return nonceAggregate(session.node.cosigners.keys.map((key) => session.nonces.get(toHex(key)) as Uint8Array));
}

function musig(session: NodeSession): Session {
  const { tx, prevout, cosigners } = session.node;
  const message = tx.preimageWitnessV1(0, [prevout.script], SigHash.DEFAULT, [prevout.amount]);
  return new Session(aggregateNonce(session), [...cosigners.keys], message, [cosigners.tweak], [true]);
}

export function partialIsValid(session: NodeSession, key: string, partial: Uint8Array): boolean {
  const { keys } = session.node.cosigners;
  const nonces = keys.map((each) => session.nonces.get(toHex(each)) as Uint8Array);
  try {
    return musig(session).partialSigVerify(
      partial,
      nonces,
      keys.findIndex((each) => toHex(each) === key),
    );
  } catch {
    return false;
  }
}

/** The finished signature, once every user's partial one is there; also put onto the transaction. */
export function signNode(session: NodeSession, operator: KeyPair): Uint8Array {
  const own = musig(session);
  session.partials.set(toHex(operator.publicKey), own.sign(session.ownNonce.secret, operator.secret));
  const partials = session.node.cosigners.keys.map((key) => session.partials.get(toHex(key)) as Uint8Array);
  const signature = musig(session).partialSigAgg(partials);
  session.node.tx.updateInput(0, { tapKeySig: signature, witnessUtxo: session.node.prevout });
  return signature;
}
