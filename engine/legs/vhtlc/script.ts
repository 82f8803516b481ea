import { sha256 } from '@noble/hashes/sha2.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { Script, TAPROOT_UNSPENDABLE_KEY } from '@scure/btc-signer';
import { tapLeafHash, TAP_LEAF_VERSION } from '@scure/btc-signer/payment.js';
import type { Hash160, XOnly } from '../../domain/hash.ts';
import { asHash160 } from '../../domain/hash.ts';
import type { Seconds } from '../../domain/time.ts';
import { taggedHash, tweaked } from '../secp256k1.ts';
import type { VhtlcTerms } from './terms.ts';

/** The six leaves in tree order (facts/arkade.md 7). The order is part of the address. */
export const vhtlcLeaves = [
  'claim',
  'refund',
  'refund-without-receiver',
  'unilateral-claim',
  'unilateral-refund',
  'unilateral-refund-without-receiver',
] as const;
export type VhtlcLeaf = (typeof vhtlcLeaves)[number];

/** What a PSBT input carries as its tap leaf: control block (BIP 341) and script followed by the leaf version. */
export type TapLeaf = [{ version: number; internalKey: Uint8Array; merklePath: Uint8Array[] }, Uint8Array];

export interface Leaf {
  readonly script: Uint8Array;
  /** BIP-341 tagged hash of version and script: what a tapscript signature commits to. */
  readonly hash: Uint8Array;
  readonly tapLeaf: TapLeaf;
}

/** A Taproot output made of script leaves alone (its internal key is the BIP-341 NUMS point). */
export interface TapScript {
  readonly leaves: readonly Leaf[];
  readonly outputKey: XOnly;
  /** `5120` and the output key. */
  readonly pkScript: Uint8Array;
  /** The leaves as the PSBT field `taptree` wants them: each at depth 1 (facts/arkade.md 9). */
  readonly tapTree: Uint8Array;
}

export interface VhtlcScript extends TapScript {
  readonly leaf: Readonly<Record<VhtlcLeaf, Leaf>>;
}

/** The six leaves with the raw numbers that the scripts push; `vhtlcScript` is what swaps use. */
export interface VhtlcParts {
  readonly sender: Uint8Array;
  readonly receiver: Uint8Array;
  readonly operator: Uint8Array;
  readonly hash: Uint8Array;
  /** nLockTime of the refund without receiver. */
  readonly locktime: number;
  /** BIP-68 sequences of leaves 4, 5 and 6. */
  readonly claimSequence: number;
  readonly refundSequence: number;
  readonly refundWithoutReceiverSequence: number;
}

/** BIP-68: bit 22 says that the value counts units of 512 seconds. */
const sequenceInSeconds = 0x0040_0000;
const largestDelay = 0xffff * 512;

/**
 * The BIP-68 sequence of a relative delay; throws unless it is a multiple of 512 between 512 and 33,553,920 seconds,
 * for two parties that round differently derive different addresses.
 */
export function delaySequence(delay: Seconds): number {
  if (delay < 512 || delay % 512 !== 0 || delay > largestDelay)
    throw new RangeError(`a VHTLC delay is a multiple of 512 seconds from 512 to ${largestDelay}, not ${delay}`);
  return sequenceInSeconds | (delay / 512);
}

/** `SIZE 32 EQUALVERIFY HASH160 <h> EQUAL`: without the size guard a secret of another length could claim here and nowhere else. */
function condition(hash: Uint8Array): Uint8Array {
  return Script.encode(['SIZE', Uint8Array.of(32), 'EQUALVERIFY', 'HASH160', hash, 'EQUAL']);
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** CHECKSIGVERIFY for every key but the last, which gets CHECKSIG. */
function signatures(...keys: readonly Uint8Array[]): Uint8Array {
  return Script.encode(keys.flatMap((key, i) => [key, i === keys.length - 1 ? ('CHECKSIG' as const) : ('CHECKSIGVERIFY' as const)]));
}

/** The six leaf scripts in tree order (facts/arkade.md 7). */
export function vhtlcLeafScripts(parts: VhtlcParts): Uint8Array[] {
  const { sender, receiver, operator } = parts;
  const paid = joined(condition(parts.hash), Script.encode(['VERIFY']));
  const waited = (sequence: number): Uint8Array => Script.encode([sequence, 'CHECKSEQUENCEVERIFY', 'DROP']);
  return [
    joined(paid, signatures(receiver, operator)),
    signatures(sender, receiver, operator),
    joined(Script.encode([parts.locktime, 'CHECKLOCKTIMEVERIFY', 'DROP']), signatures(sender, operator)),
    joined(paid, waited(parts.claimSequence), signatures(receiver)),
    joined(waited(parts.refundSequence), signatures(sender, receiver)),
    joined(waited(parts.refundWithoutReceiverSequence), signatures(sender)),
  ];
}

/** A node of the tree: its hash, and the leaves below it with their paths up to here. */
interface Branch {
  readonly hash: Uint8Array;
  readonly leaves: readonly { readonly at: number; readonly path: readonly Uint8Array[] }[];
}

/** BIP-341: the two hashes of a branch in lexicographic order. */
function join(a: Branch, b: Branch): Branch {
  const [low, high] = compare(a.hash, b.hash) <= 0 ? [a.hash, b.hash] : [b.hash, a.hash];
  const below = (branch: Branch, sibling: Branch) => branch.leaves.map(({ at, path }) => ({ at, path: [...path, sibling.hash] }));
  return { hash: taggedHash('TapBranch', low, high), leaves: [...below(a, b), ...below(b, a)] };
}

function compare(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, i) => byte !== b[i]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/**
 * Pairs the leaves from the left, then joins the pairs first in, first out: the shape that btcd's
 * AssembleTaprootScriptTree gives and the operator expects. A Huffman tree of the same leaves has another root.
 */
function assemble(hashes: readonly Uint8Array[]): Branch {
  const leaves = hashes.map((hash, at): Branch => ({ hash, leaves: [{ at, path: [] }] }));
  const branches: Branch[] = [];
  for (let i = 0; i < leaves.length; i += 2) {
    const left = leaves[i] as Branch;
    const right = leaves[i + 1];
    if (right) branches.push(join(left, right));
    else {
      const last = branches.pop();
      branches.push(last ? join(last, left) : left);
    }
  }
  while (branches.length > 1) {
    const left = branches.shift() as Branch;
    branches.push(join(left, branches.shift() as Branch));
  }
  const root = branches[0];
  if (!root) throw new RangeError('a script tree needs at least one leaf');
  return root;
}

/**
 * The Taproot output of a list of leaf scripts, in the operator's tree shape (BIP-341). Built here and not by
 * btc-signer's `p2tr`, which judges every key in the leaves as well: a create waits for this, and its keys were judged
 * when they came. A test holds it to the SDK's bytes for any leaves.
 */
export function tapScript(scripts: readonly Uint8Array[]): TapScript {
  const hashes = scripts.map((script) => tapLeafHash(script, TAP_LEAF_VERSION));
  const root = assemble(hashes);
  const tweak = taggedHash('TapTweak', TAPROOT_UNSPENDABLE_KEY, root.hash);
  // Nobody has a key of the internal point: every spend goes through a leaf.
  const { key: outputKey, odd } = tweaked(TAPROOT_UNSPENDABLE_KEY, tweak);
  const version = TAP_LEAF_VERSION + (odd ? 1 : 0);
  const paths = new Map(root.leaves.map(({ at, path }) => [at, path]));
  const leaves = scripts.map((script, at): Leaf => {
    const merklePath = [...(paths.get(at) ?? [])];
    const control = { version, internalKey: TAPROOT_UNSPENDABLE_KEY, merklePath };
    return { script, hash: hashes[at] as Uint8Array, tapLeaf: [control, joined(script, Uint8Array.of(TAP_LEAF_VERSION))] };
  });
  return { leaves, outputKey, pkScript: joined(Uint8Array.of(0x51, 32), outputKey), tapTree: encodeTapTree(scripts) };
}

/** BIP-371 form: depth, leaf version, compact size and script of each leaf; scripts here are shorter than 253 bytes. */
function encodeTapTree(scripts: readonly Uint8Array[]): Uint8Array {
  return joined(...scripts.flatMap((script) => [Uint8Array.of(1, TAP_LEAF_VERSION, script.length), script]));
}

/** The leaf scripts of a `taptree` field, or null when the bytes are none. */
export function decodeTapTree(tapTree: Uint8Array): Uint8Array[] | null {
  const scripts: Uint8Array[] = [];
  for (let at = 0; at < tapTree.length; ) {
    const length = tapTree[at + 2];
    if (length === undefined || length >= 253 || tapTree[at + 1] !== TAP_LEAF_VERSION || at + 3 + length > tapTree.length) return null;
    scripts.push(tapTree.slice(at + 3, at + 3 + length));
    at += 3 + length;
  }
  return scripts.length === 0 ? null : scripts;
}

export function vhtlcScriptOf(parts: VhtlcParts): VhtlcScript {
  const tap = tapScript(vhtlcLeafScripts(parts));
  const leaf = Object.fromEntries(vhtlcLeaves.map((name, i) => [name, tap.leaves[i]])) as Record<VhtlcLeaf, Leaf>;
  return { ...tap, leaf };
}

const known = new WeakMap<VhtlcTerms, VhtlcScript>();

/**
 * The script of a swap's VHTLC. Throws on a locktime that would be a block height and on delays outside BIP 68: such a
 * script would lock the client's money under rules that nobody agreed to.
 */
export function vhtlcScript(terms: VhtlcTerms): VhtlcScript {
  const before = known.get(terms);
  if (before) return before;
  if (terms.refundLocktime < 500_000_000)
    throw new RangeError(`the refund locktime of a VHTLC is unix seconds, at least 500000000, not ${terms.refundLocktime}`);
  const script = vhtlcScriptOf({
    sender: terms.sender,
    receiver: terms.receiver,
    operator: terms.operator,
    hash: terms.hash,
    locktime: terms.refundLocktime,
    claimSequence: delaySequence(terms.claimDelay),
    refundSequence: delaySequence(terms.refundDelay),
    refundWithoutReceiverSequence: delaySequence(terms.refundWithoutReceiverDelay),
  });
  known.set(terms, script);
  return script;
}

/** Who must sign a leaf, in script order; the operator's key is among them for the first three. */
export function leafSigners(terms: VhtlcTerms, leaf: VhtlcLeaf): readonly XOnly[] {
  switch (leaf) {
    case 'claim':
      return [terms.receiver, terms.operator];
    case 'refund':
      return [terms.sender, terms.receiver, terms.operator];
    case 'refund-without-receiver':
      return [terms.sender, terms.operator];
    case 'unilateral-claim':
      return [terms.receiver];
    case 'unilateral-refund':
      return [terms.sender, terms.receiver];
    case 'unilateral-refund-without-receiver':
      return [terms.sender];
  }
}

/** HASH160 of bytes: the form of the hash in leaves 1 and 4. */
export function hash160(bytes: Uint8Array): Hash160 {
  return asHash160(ripemd160(sha256(bytes)));
}
