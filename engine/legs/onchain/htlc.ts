import { sha256 } from '@noble/hashes/sha2.js';
import { compile, number, OPS } from 'bitcoinjs-lib/src/script';
import type { BitcoinNetwork } from '../../domain/chain.ts';
import { type Hash160, type PublicKey, type XOnly, xOnlyOf } from '../../domain/hash.ts';
import type { Unix } from '../../domain/time.ts';
import { musigKey } from '../musig.ts';
import { addressOfScript } from './address.ts';
import { type LeafPair, leafPairOutput, type TreeLeaf } from './taproot.ts';

interface Conditions {
  /** HASH160 of the secret. */
  readonly hash: Hash160;
  /** Takes the coin with the secret, at any time. */
  readonly claimer: PublicKey;
  /** Takes it back once the locktime is past. */
  readonly refunder: PublicKey;
}

/** Two conditions and no key: as two leaves of a Taproot output, or one witness script (facts/onchain.md 1, 2). */
export interface TimeHtlcTerms extends Conditions {
  readonly form: 'p2tr' | 'p2wsh';
  /** Unix seconds, by median time past. */
  readonly refundLocktime: Unix;
}

/**
 * Two leaves below the aggregate key of both, by which both together spend the coin at any time and show neither secret
 * nor purpose (facts/onchain.md 12).
 */
export interface MusigHtlcTerms extends Conditions {
  readonly form: 'musig';
  /** Whose key comes first in the aggregate. */
  readonly provider: 'claimer' | 'refunder';
  /**
   * The claim asks for a secret of exactly 32 bytes. False only where no other secret can come: one of another length
   * would open this coin and not the lock on the other side.
   */
  readonly sizeGuard: boolean;
  /** The first height of the tip at which the refunder alone takes the coin back, in the block after it. */
  readonly refundHeight: number;
}

/** An HTLC on the Bitcoin chain. What is paid to other terms than both sides mean is lost to one of them. */
export type HtlcTerms = TimeHtlcTerms | MusigHtlcTerms;

/** What pays the HTLC, and by what it is spent. */
export type HtlcScript =
  | { readonly form: 'p2tr'; readonly pkScript: Uint8Array; readonly claim: TreeLeaf; readonly refund: TreeLeaf }
  | { readonly form: 'p2wsh'; readonly pkScript: Uint8Array; readonly witnessScript: Uint8Array }
  | MusigHtlcScript;

export interface MusigHtlcScript {
  readonly form: 'musig';
  readonly pkScript: Uint8Array;
  readonly claim: TreeLeaf;
  readonly refund: TreeLeaf;
  /** The aggregate of both keys, before its tweak by the root. */
  readonly internal: XOnly;
  /** BIP-341: merkle root of both leaves. */
  readonly root: Uint8Array;
}

/** Locktimes that are a time and fit into a transaction: below them they are a block height (BIP-65). */
const times = { first: 500_000_000, last: 0xffff_ffff } as const;

/**
 * The scripts of an HTLC (facts/onchain.md 1, 2, 12). They ask for a secret of exactly 32 bytes, but for an aggregate
 * key's whose terms say otherwise: one of another length would open this coin and not the lock on the other side.
 * Throws on a locktime of the other kind, which would be over long ago or never; and on one that no transaction can
 * have.
 */
export function htlcScript(terms: MusigHtlcTerms): MusigHtlcScript;
export function htlcScript(terms: TimeHtlcTerms): Exclude<HtlcScript, MusigHtlcScript>;
export function htlcScript(terms: HtlcTerms): HtlcScript;
export function htlcScript(terms: HtlcTerms): HtlcScript {
  const script = built.get(terms) ?? build(terms);
  built.set(terms, script);
  return script;
}

/** Of terms in use: a create needs the same script thrice, and an aggregate key costs half a millisecond. */
const built = new WeakMap<HtlcTerms, HtlcScript>();

function build(terms: HtlcTerms): HtlcScript {
  if (terms.form === 'musig') return musigScript(terms);
  const { form, hash, claimer, refunder, refundLocktime } = terms;
  if (refundLocktime < times.first || refundLocktime > times.last)
    throw new RangeError(
      `the refund locktime of an HTLC is unix seconds, ${times.first} to ${times.last}, not ${refundLocktime}`,
    );
  const secret = [...sizeGuard, OPS['OP_HASH160'], hash];
  const waits = [number.encode(refundLocktime), OPS['OP_CHECKLOCKTIMEVERIFY'], OPS['OP_DROP']];
  if (form === 'p2tr') {
    const pair = leafPairOutput(
      compile([xOnlyOf(claimer), OPS['OP_CHECKSIGVERIFY'], ...secret, OPS['OP_EQUAL']]),
      compile([...waits, xOnlyOf(refunder), OPS['OP_CHECKSIG']]),
    );
    return { form, ...named(pair) };
  }
  const witnessScript = compile([
    OPS['OP_IF'],
    ...secret,
    OPS['OP_EQUALVERIFY'],
    claimer,
    OPS['OP_ELSE'],
    ...waits,
    refunder,
    OPS['OP_ENDIF'],
    OPS['OP_CHECKSIG'],
  ]);
  return { form, pkScript: compile([OPS['OP_0'], sha256(witnessScript)]), witnessScript };
}

const sizeGuard = [OPS['OP_SIZE'], Uint8Array.of(32), OPS['OP_EQUALVERIFY']] as const;

function musigScript(terms: MusigHtlcTerms): MusigHtlcScript {
  const { form, hash, claimer, refunder, refundHeight } = terms;
  if (!Number.isInteger(refundHeight) || refundHeight < 1 || refundHeight >= times.first)
    throw new RangeError(`the refund of an HTLC with an aggregate key opens at a block height, not at ${refundHeight}`);
  const [provider, client] = terms.provider === 'claimer' ? [claimer, refunder] : [refunder, claimer];
  const internal = musigKey(provider, client);
  const secret = [...(terms.sizeGuard ? sizeGuard : []), OPS['OP_HASH160'], hash, OPS['OP_EQUALVERIFY']];
  const pair = leafPairOutput(
    compile([...secret, xOnlyOf(claimer), OPS['OP_CHECKSIG']]),
    compile([xOnlyOf(refunder), OPS['OP_CHECKSIGVERIFY'], number.encode(refundHeight), OPS['OP_CHECKLOCKTIMEVERIFY']]),
    internal,
  );
  return { form, ...named(pair), internal, root: pair.root };
}

function named({ pkScript, leaves: [claim, refund] }: LeafPair) {
  return { pkScript, claim, refund };
}

/** Where the HTLC is paid. */
export function htlcAddress(terms: HtlcTerms, network: BitcoinNetwork): string {
  return addressOfScript(htlcScript(terms).pkScript, network);
}
