import { RawWitness, Script, SigHash, Transaction } from '@scure/btc-signer';
import { tapLeafHash, TAP_LEAF_VERSION } from '@scure/btc-signer/payment.js';
import { hex } from '@scure/base';
import { sameBytes } from '../domain/hash.ts';
import type { Sats } from '../domain/money.ts';
import type { Outpoint } from '../domain/outpoint.ts';
import { schnorrSign, schnorrVerify, xOnlyKeyOf } from './secp256k1.ts';
import type { Leaf, TapLeaf } from './tapscript.ts';

/** Arkade keeps its own facts in PSBT input fields of this key type, named by ASCII text (facts/arkade.md 14). */
export const arkadeFieldType = 0xde;

const options = {
  allowUnknown: true,
  allowUnknownInputs: true,
  allowUnknownOutputs: true,
  disableScriptCheck: true,
} as const;

export type Tx = Transaction;

/** The coin that a transaction must spend to concern us. */
export interface CoinRef extends Outpoint {
  readonly amount: Sats;
}

/** The output script and amount that an input spends. */
export interface Prevout {
  readonly script: Uint8Array;
  readonly amount: bigint;
}

/**
 * Zero-value pay-to-anchor output, last in every Arkade transaction, so that any of them can be fee-bumped on chain.
 */
export const anchorScript = Uint8Array.of(0x51, 0x02, 0x4e, 0x73);

/** By the magic of BIP 174. */
export function isPsbt(bytes: Uint8Array): boolean {
  return bytes[0] === 0x70 && bytes[1] === 0x73 && bytes[2] === 0x62 && bytes[3] === 0x74 && bytes[4] === 0xff;
}

/** A PSBT or a raw transaction; null when the bytes are neither. */
export function readTx(bytes: Uint8Array): Tx | null {
  try {
    return isPsbt(bytes) ? Transaction.fromPSBT(bytes, options) : Transaction.fromRaw(bytes, options);
  } catch {
    return null;
  }
}

export function newTx(opts: { version: number; lockTime: number }): Tx {
  return new Transaction({ ...opts, ...options });
}

function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

/** The values of one Arkade field of an input, in order. */
function arkadeFields(tx: Tx, index: number, name: 'taptree' | 'condition'): Uint8Array[] {
  const key = asciiBytes(name);
  return (tx.getInput(index).unknown ?? [])
    .filter(([at]) => at.type === arkadeFieldType && sameBytes(at.key, key))
    .map(([, value]) => value);
}

export function tapTreeFields(tx: Tx, index: number): Uint8Array[] {
  return arkadeFields(tx, index, 'taptree');
}

/** Every stack item of every condition witness of an input; an item that does not decode is left out. */
export function conditionItems(tx: Tx, index: number): Uint8Array[] {
  return arkadeFields(tx, index, 'condition').flatMap((value) => {
    try {
      return RawWitness.decode(value);
    } catch {
      return [];
    }
  });
}

/** First byte of an annex (BIP-341). */
const annexTag = 0x50;

/**
 * The final witness of an input, on a transaction that went to the chain, without its annex: whoever has a miner can
 * add one, and before it nothing is where it is looked for (facts/onchain.md 9).
 */
export function witnessItems(tx: Tx, index: number): readonly Uint8Array[] {
  const items = tx.getInput(index).finalScriptWitness ?? [];
  return items.length > 1 && items.at(-1)?.[0] === annexTag ? items.slice(0, -1) : items;
}

export function outpointOf(tx: Tx, index: number): Outpoint | null {
  const { txid, index: vout } = tx.getInput(index);
  return txid && vout !== undefined ? { txid: hex.encode(txid), vout } : null;
}

/**
 * Coins that transactions spend by their inputs from this one on: the frame of an intent proof is its input 0, and no
 * coin.
 */
export function inputsOf(psbts: readonly Uint8Array[], from: number): Outpoint[] {
  const coins: Outpoint[] = [];
  for (const bytes of psbts) {
    const tx = readTx(bytes);
    for (let i = from; tx !== null && i < tx.inputsLength; i++) {
      const coin = outpointOf(tx, i);
      if (coin !== null) coins.push(coin);
    }
  }
  return coins;
}

/** What each input spends as the PSBT itself says; null where one does not say it. */
export function prevoutsOf(tx: Tx): Prevout[] | null {
  const prevouts: Prevout[] = [];
  for (let i = 0; i < tx.inputsLength; i++) {
    const spent = tx.getInput(i).witnessUtxo;
    if (!spent) return null;
    prevouts.push(spent);
  }
  return prevouts;
}

/** Whether an input carries this leaf with its control block, and no other. */
export function carriesOnly(tx: Tx, index: number, leaf: Leaf): boolean {
  const carried = (tx.getInput(index).tapLeafScript ?? []) as unknown as TapLeaf[];
  const [only, ...more] = carried;
  if (!only || more.length > 0) return false;
  const [control, script] = only;
  const [expected, expectedScript] = leaf.tapLeaf;
  return (
    sameBytes(script, expectedScript) &&
    control.version === expected.version &&
    sameBytes(control.internalKey, expected.internalKey) &&
    control.merklePath.length === expected.merklePath.length &&
    control.merklePath.every((hash, i) => sameBytes(hash, expected.merklePath[i] ?? hash.subarray(1)))
  );
}

/** A leaf has three keys at most; every further item would cost whoever looks a verification. */
const mostSignatures = 4;

/**
 * Whether `key` signed this leaf of this input with one of the allowed sighash types (BIP 341 and 342), in the PSBT or
 * in a final witness. The prevouts are what the caller knows, not what the PSBT says of itself.
 */
export function signedBy(
  tx: Tx,
  index: number,
  prevouts: readonly Prevout[],
  leaf: Leaf,
  key: Uint8Array,
  allowed: readonly number[],
): boolean {
  const inPsbt = (tx.getInput(index).tapScriptSig ?? [])
    .filter(([at]) => sameBytes(at.pubKey, key) && sameBytes(at.leafHash, leaf.hash))
    .map(([, signature]) => signature);
  const inWitness = witnessItems(tx, index).filter((item) => item.length === 64 || item.length === 65);
  return [...inPsbt, ...inWitness]
    .slice(0, mostSignatures)
    .some((signature) => verifies(tx, index, prevouts, leaf, key, signature, allowed));
}

/**
 * Signs, in place, every leaf that an input carries and that asks for the key (BIP 341 and 342). False when there is
 * none, or when an input does not say what it spends: a transaction sent without a signature can strand a coin.
 */
export function signInput(tx: Tx, index: number, secret: Uint8Array, sighash: number): boolean {
  const prevouts = prevoutsOf(tx);
  if (prevouts === null) return false;
  const pubKey = xOnlyKeyOf(secret);
  const signatures: [{ pubKey: Uint8Array; leafHash: Uint8Array }, Uint8Array][] = [];
  for (const [, versioned] of tx.getInput(index).tapLeafScript ?? []) {
    const script = versioned.subarray(0, -1);
    if (!asksFor(script, pubKey)) continue;
    const signature = schnorrSign(leafMessage(tx, index, prevouts, script, sighash), secret);
    signatures.push([
      { pubKey, leafHash: tapLeafHash(script, TAP_LEAF_VERSION) },
      sighash === SigHash.DEFAULT ? signature : Uint8Array.from([...signature, sighash]),
    ]);
  }
  if (signatures.length === 0) return false;
  tx.updateInput(index, { tapScriptSig: signatures }, true);
  return true;
}

function asksFor(script: Uint8Array, pubKey: Uint8Array): boolean {
  return Script.decode(script).some((item) => item instanceof Uint8Array && sameBytes(item, pubKey));
}

/** What a signature over one leaf commits to (BIP 341's message with BIP 342's extension). */
function leafMessage(
  tx: Tx,
  index: number,
  prevouts: readonly Prevout[],
  script: Uint8Array,
  sighash: number,
): Uint8Array {
  return tx.preimageWitnessV1(
    index,
    prevouts.map((prevout) => prevout.script),
    sighash,
    prevouts.map(({ amount }) => amount),
    undefined,
    script,
    TAP_LEAF_VERSION,
  );
}

function verifies(
  tx: Tx,
  index: number,
  prevouts: readonly Prevout[],
  leaf: Leaf,
  key: Uint8Array,
  signature: Uint8Array,
  allowed: readonly number[],
): boolean {
  const sighash = signature.length === 65 ? (signature[64] ?? SigHash.DEFAULT) : SigHash.DEFAULT;
  if ((signature.length === 65 && sighash === SigHash.DEFAULT) || !allowed.includes(sighash)) return false;
  try {
    return schnorrVerify(signature.subarray(0, 64), leafMessage(tx, index, prevouts, leaf.script, sighash), key);
  } catch {
    return false;
  }
}
