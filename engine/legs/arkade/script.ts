import { sha256 } from '@noble/hashes/sha2.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { Script } from '@scure/btc-signer';
import type { Hash160, XOnly } from '../../domain/hash.ts';
import { asHash160 } from '../../domain/hash.ts';
import { delaySequence, type Leaf, tapScript, type TapScript } from '../tapscript.ts';
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
  /** False leaves the length of the secret open (`VhtlcTerms`). */
  readonly sizeGuard?: false;
}

/** `SIZE 32 EQUALVERIFY`: without it a secret of another length could claim here and nowhere else. */
const sizeGuard = ['SIZE', Uint8Array.of(32), 'EQUALVERIFY'] as const;

/** The guard, where there is one, and `HASH160 <h> EQUAL`. */
function condition({ hash, sizeGuard: guard }: Pick<VhtlcParts, 'hash' | 'sizeGuard'>): Uint8Array {
  return Script.encode([...(guard === false ? [] : sizeGuard), 'HASH160', hash, 'EQUAL']);
}

/** CHECKSIGVERIFY for every key but the last, which gets CHECKSIG. */
function signatures(...keys: readonly Uint8Array[]): Uint8Array {
  return Script.encode(
    keys.flatMap((key, i) => [key, i === keys.length - 1 ? ('CHECKSIG' as const) : ('CHECKSIGVERIFY' as const)]),
  );
}

/** The six leaf scripts in tree order (facts/arkade.md 7). */
function vhtlcLeafScripts(parts: VhtlcParts): Uint8Array[] {
  const { sender, receiver, operator } = parts;
  const paid = concatBytes(condition(parts), Script.encode(['VERIFY']));
  const waited = (sequence: number): Uint8Array => Script.encode([sequence, 'CHECKSEQUENCEVERIFY', 'DROP']);
  return [
    concatBytes(paid, signatures(receiver, operator)),
    signatures(sender, receiver, operator),
    concatBytes(Script.encode([parts.locktime, 'CHECKLOCKTIMEVERIFY', 'DROP']), signatures(sender, operator)),
    concatBytes(paid, waited(parts.claimSequence), signatures(receiver)),
    concatBytes(waited(parts.refundSequence), signatures(sender, receiver)),
    concatBytes(waited(parts.refundWithoutReceiverSequence), signatures(sender)),
  ];
}

export function vhtlcScriptOf(parts: VhtlcParts): VhtlcScript {
  const tap = tapScript(vhtlcLeafScripts(parts));
  const leaf = Object.fromEntries(vhtlcLeaves.map((name, i) => [name, tap.leaves[i]])) as Record<VhtlcLeaf, Leaf>;
  return { ...tap, leaf };
}

const scripts = new WeakMap<VhtlcTerms, VhtlcScript>();
const outputs = new WeakMap<VhtlcTerms, VhtlcOutput>();

/** The output that pays a VHTLC, and its key. */
type VhtlcOutput = Pick<VhtlcScript, 'pkScript' | 'outputKey'>;

/**
 * The script of a swap's VHTLC. Throws on a locktime that would be a block height and on delays outside BIP 68: such a
 * script would lock the client's money under rules that nobody agreed to.
 */
export function vhtlcScript(terms: VhtlcTerms): VhtlcScript {
  const script = scripts.get(terms) ?? built(terms);
  scripts.set(terms, script);
  return script;
}

/** The output of the same script: without the tree, which is kilobytes for as long as the terms live. */
export function vhtlcOutput(terms: VhtlcTerms): VhtlcOutput {
  const { pkScript, outputKey } = outputs.get(terms) ?? scripts.get(terms) ?? built(terms);
  const output = { pkScript, outputKey };
  outputs.set(terms, output);
  return output;
}

function built(terms: VhtlcTerms): VhtlcScript {
  if (terms.refundLocktime < 500_000_000)
    throw new RangeError(
      `the refund locktime of a VHTLC is unix seconds, at least 500000000, not ${terms.refundLocktime}`,
    );
  return vhtlcScriptOf({
    sender: terms.sender,
    receiver: terms.receiver,
    operator: terms.operator,
    hash: terms.hash,
    locktime: terms.refundLocktime,
    claimSequence: delaySequence(terms.claimDelay),
    refundSequence: delaySequence(terms.refundDelay),
    refundWithoutReceiverSequence: delaySequence(terms.refundWithoutReceiverDelay),
    ...(terms.sizeGuard === undefined ? {} : { sizeGuard: terms.sizeGuard }),
  });
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
