import {
  CLTVMultisigTapscript,
  CSVMultisigTapscript,
  ConditionCSVMultisigTapscript,
  ConditionMultisigTapscript,
  MultisigTapscript,
  VtxoScript,
  decodeTapscript,
} from '@arkade-os/sdk';
import { tapLeafHash } from '@scure/btc-signer/payment.js';
import { taprootTweakPubkey } from '@scure/btc-signer/utils.js';
import { schnorr } from '@noble/curves/secp256k1.js';
import { sameBytes } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import { conditionAllowed } from './condition.ts';
import { refusal } from './errors.ts';

export interface RelativeDelay {
  readonly type: 'blocks' | 'seconds';
  readonly value: bigint;
}

/** One leaf of a coin's script, taken apart. */
export interface Leaf {
  readonly script: Uint8Array;
  readonly hash: Uint8Array;
  readonly keys: readonly Uint8Array[];
  readonly condition: Uint8Array | null;
  /** CLTV value; null without one. */
  readonly locktime: bigint | null;
  /** CSV delay; null for a collaborative leaf. */
  readonly delay: RelativeDelay | null;
}

/** A leaf as a PSBT carries it, with its proof. */
export type TapLeafScript = VtxoScript['leaves'][number];

const leafCache = new Map<string, Leaf | null>();
const treeCache = new Map<string, CoinScript>();
const cacheLimit = 20_000;

function remember<T>(cache: Map<string, T>, key: string, value: T): T {
  if (cache.size >= cacheLimit) cache.clear();
  cache.set(key, value);
  return value;
}

/** Null for a script that is none of the five known kinds. */
export function leafOf(script: Uint8Array): Leaf | null {
  const key = toHex(script);
  const cached = leafCache.get(key);
  return cached !== undefined ? cached : remember(leafCache, key, readLeaf(script));
}

function readLeaf(script: Uint8Array): Leaf | null {
  let decoded;
  try {
    decoded = decodeTapscript(script);
  } catch {
    return null;
  }
  const leaf = {
    script,
    hash: tapLeafHash(script),
    keys: decoded.params.pubkeys,
    condition: null,
    locktime: null,
    delay: null,
  };
  if (MultisigTapscript.is(decoded)) return leaf;
  if (CSVMultisigTapscript.is(decoded)) return { ...leaf, delay: decoded.params.timelock };
  if (ConditionCSVMultisigTapscript.is(decoded)) {
    return { ...leaf, condition: decoded.params.conditionScript, delay: decoded.params.timelock };
  }
  if (ConditionMultisigTapscript.is(decoded)) return { ...leaf, condition: decoded.params.conditionScript };
  if (CLTVMultisigTapscript.is(decoded)) return { ...leaf, locktime: decoded.params.absoluteTimelock };
  return null;
}

/** A whole script tree: its output and its leaves with their proofs, by leaf hash. */
export interface CoinScript {
  readonly scripts: readonly Uint8Array[];
  readonly pkScript: Uint8Array;
  readonly proofs: ReadonlyMap<string, TapLeafScript>;
}

export function coinScriptOf(scripts: readonly Uint8Array[]): CoinScript {
  const key = scripts.map(toHex).join(' ');
  const cached = treeCache.get(key);
  if (cached !== undefined) return cached;
  const tree = new VtxoScript([...scripts]);
  const proofs = new Map(tree.leaves.map((proof) => [toHex(tapLeafHash(proof[1].subarray(0, -1))), proof]));
  return remember(treeCache, key, { scripts: tree.scripts, pkScript: tree.pkScript, proofs });
}

/**
 * What an operator demands of every script whose coins it lets move (its own signer in every collaborative leaf, long
 * enough exits).
 */
export interface ScriptRules {
  readonly signers: readonly Uint8Array[];
  readonly exitDelay: RelativeDelay;
}

export function checkScript(tree: CoinScript, rules: ScriptRules): void {
  const fail = (text: string): never => {
    throw refusal('INVALID_VTXO_SCRIPT', text, { tapscripts: `[${tree.scripts.map(toHex).join(' ')}]` });
  };
  let exits = 0;
  for (const script of tree.scripts) {
    const leaf = leafOf(script);
    if (leaf === null) return fail('invalid vtxo script, unknown closure');
    if (leaf.condition !== null && !conditionAllowed(leaf.condition))
      return fail('invalid condition closure, forbidden opcode in condition');
    if (leaf.delay !== null) {
      exits++;
      if (leaf.delay.type === 'blocks' && rules.exitDelay.type === 'seconds')
        return fail('invalid exit closure, CSV block type not allowed');
      if (leaf.delay.type === rules.exitDelay.type && leaf.delay.value < rules.exitDelay.value)
        return fail('exit delay is too short');
      continue;
    }
    if (!leaf.keys.some((key) => rules.signers.some((signer) => sameBytes(key, signer))))
      return fail('invalid forfeit closure, signer pubkey not found');
    if (leaf.locktime !== null && leaf.locktime < 500_000_000n && rules.exitDelay.type === 'seconds') {
      return fail('invalid forfeit closure, CLTV block type not allowed');
    }
  }
  if (exits === 0) fail('invalid vtxo script, no exit closure');
}

/** Whether a leaf with its control block really is a leaf of the taproot output `pkScript`. */
export function leafBelongs(proof: TapLeafScript, pkScript: Uint8Array): boolean {
  if (pkScript.length !== 34) return false;
  const version = proof[1].at(-1) ?? 0;
  let node = tapLeafHash(proof[1].subarray(0, -1), version);
  for (const sibling of proof[0].merklePath) {
    const [left, right] = compare(node, sibling) <= 0 ? [node, sibling] : [sibling, node];
    node = schnorr.utils.taggedHash('TapBranch', left, right);
  }
  const [key] = taprootTweakPubkey(proof[0].internalKey, node);
  return sameBytes(key, pkScript.subarray(2));
}

function compare(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
