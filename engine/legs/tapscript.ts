import { concatBytes } from '@noble/hashes/utils.js';
import { CompactSize, TAPROOT_UNSPENDABLE_KEY } from '@scure/btc-signer';
import { TAP_LEAF_VERSION } from '@scure/btc-signer/payment.js';
import type { XOnly } from '../domain/hash.ts';
import type { Seconds } from '../domain/time.ts';
import { taggedHash, tweaked } from './secp256k1.ts';

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

/** BIP-68: bit 22 says that the value counts units of 512 seconds. */
const sequenceInSeconds = 0x0040_0000;
const largestDelay = 0xffff * 512;

/**
 * The BIP-68 sequence of a relative delay; throws unless it is a multiple of 512 between 512 and 33,553,920 seconds,
 * for two parties that round differently derive different addresses.
 */
export function delaySequence(delay: Seconds): number {
  if (delay < 512 || delay % 512 !== 0 || delay > largestDelay)
    throw new RangeError(`a relative delay is a multiple of 512 seconds from 512 to ${largestDelay}, not ${delay}`);
  return sequenceInSeconds | (delay / 512);
}

/** A node of the tree: its hash, and the leaves below it with their paths up to here. */
interface Branch {
  readonly hash: Uint8Array;
  readonly leaves: readonly { readonly at: number; readonly path: readonly Uint8Array[] }[];
}

/** BIP-341: the two hashes of a branch in lexicographic order. */
function join(a: Branch, b: Branch): Branch {
  const [low, high] = compare(a.hash, b.hash) <= 0 ? [a.hash, b.hash] : [b.hash, a.hash];
  const below = (branch: Branch, sibling: Branch) =>
    branch.leaves.map(({ at, path }) => ({ at, path: [...path, sibling.hash] }));
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

/** BIP-341: version, length and script in the domain of leaves. */
export function leafHash(script: Uint8Array): Uint8Array {
  const length = script.length < 253 ? Uint8Array.of(script.length) : CompactSize.encode(BigInt(script.length));
  return taggedHash('TapLeaf', Uint8Array.of(TAP_LEAF_VERSION), length, script);
}

/**
 * The Taproot output of a list of leaf scripts, in the operator's tree shape (BIP-341). Built here and not by
 * btc-signer's `p2tr`, which judges every key in the leaves as well: a create waits for this, and its keys were judged
 * when they came. A test holds it to the SDK's bytes for any leaves.
 */
export function tapScript(scripts: readonly Uint8Array[]): TapScript {
  const hashes = scripts.map(leafHash);
  const root = assemble(hashes);
  const tweak = taggedHash('TapTweak', TAPROOT_UNSPENDABLE_KEY, root.hash);
  // Nobody has a key of the internal point: every spend goes through a leaf.
  const { key: outputKey, odd } = tweaked(TAPROOT_UNSPENDABLE_KEY, tweak);
  const version = TAP_LEAF_VERSION + (odd ? 1 : 0);
  const paths = new Map(root.leaves.map(({ at, path }) => [at, path]));
  const leaves = scripts.map((script, at): Leaf => {
    const merklePath = [...(paths.get(at) ?? [])];
    const control = { version, internalKey: TAPROOT_UNSPENDABLE_KEY, merklePath };
    return {
      script,
      hash: hashes[at] as Uint8Array,
      tapLeaf: [control, concatBytes(script, Uint8Array.of(TAP_LEAF_VERSION))],
    };
  });
  return {
    leaves,
    outputKey,
    pkScript: concatBytes(Uint8Array.of(0x51, 32), outputKey),
    tapTree: encodeTapTree(scripts),
  };
}

/** BIP-371 form: depth, leaf version, compact size and script of each leaf; scripts here are shorter than 253 bytes. */
function encodeTapTree(scripts: readonly Uint8Array[]): Uint8Array {
  return concatBytes(...scripts.flatMap((script) => [Uint8Array.of(1, TAP_LEAF_VERSION, script.length), script]));
}

/** The leaf scripts of a `taptree` field, or null when the bytes are none. */
export function decodeTapTree(tapTree: Uint8Array): Uint8Array[] | null {
  const scripts: Uint8Array[] = [];
  for (let at = 0; at < tapTree.length;) {
    const length = tapTree[at + 2];
    if (
      length === undefined ||
      length >= 253 ||
      tapTree[at + 1] !== TAP_LEAF_VERSION ||
      at + 3 + length > tapTree.length
    )
      return null;
    scripts.push(tapTree.slice(at + 3, at + 3 + length));
    at += 3 + length;
  }
  return scripts.length === 0 ? null : scripts;
}
