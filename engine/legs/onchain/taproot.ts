import { concatBytes } from '@noble/hashes/utils.js';
import {
  findScriptPath,
  LEAF_VERSION_TAPSCRIPT,
  tapleafHash,
  toHashTree,
  tweakKey,
} from 'bitcoinjs-lib/src/payments/bip341';
import { compile, OPS } from 'bitcoinjs-lib/src/script';
import type { XOnly } from '../../domain/hash.ts';
import { fromHex } from '../../domain/hex.ts';
import './curve.ts';

/** A script in the tree of a Taproot output, with what shows that it is there. */
export interface TreeLeaf {
  readonly script: Uint8Array;
  /** BIP-341 tagged hash of version and script: what a signature by this leaf commits to. */
  readonly hash: Uint8Array;
  /** BIP-341: last item of a witness by this leaf. */
  readonly controlBlock: Uint8Array;
}

/** The NUMS point of BIP-341: nobody has a key of it, so every spend goes through a leaf. */
const unspendableKey = fromHex('50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0');

/**
 * The output script of a key alone (BIP-86). Throws on a key that is no point: what is paid to it nobody could spend.
 */
export function keyPathScript(internal: XOnly): Uint8Array {
  return outputOf(tweaked(internal));
}

/** The output of two leaf scripts and a key above them. */
export interface LeafPair {
  readonly pkScript: Uint8Array;
  /** BIP-341: merkle root of both leaves, which tweaks the key. */
  readonly root: Uint8Array;
  readonly leaves: readonly [TreeLeaf, TreeLeaf];
}

/**
 * The output of two leaf scripts and a key that spends without them; left out, there is none. Wrong: coins at an
 * address that neither side can spend from.
 */
export function leafPairOutput(first: Uint8Array, second: Uint8Array, internal: Uint8Array = unspendableKey): LeafPair {
  const tree = toHashTree([{ output: first }, { output: second }]);
  const key = tweaked(internal, tree.hash);
  const leafOf = (script: Uint8Array): TreeLeaf => {
    const hash = tapleafHash({ output: script });
    const path = findScriptPath(tree, hash);
    if (path === undefined) throw new Error('a tree lacks the leaf that it was made of');
    const version = LEAF_VERSION_TAPSCRIPT | key.parity;
    return { script, hash, controlBlock: concatBytes(Uint8Array.of(version), internal, ...path) };
  };
  return { pkScript: outputOf(key), root: tree.hash, leaves: [leafOf(first), leafOf(second)] };
}

function tweaked(internal: Uint8Array, root?: Uint8Array): { readonly parity: number; readonly x: Uint8Array } {
  const key = tweakKey(internal, root);
  if (key === null)
    throw new RangeError('the internal key of a Taproot output is no point, or its tweak makes none of it');
  return key;
}

function outputOf({ x }: { readonly x: Uint8Array }): Uint8Array {
  return compile([OPS['OP_1'], x]);
}
