import { sha256 } from '@noble/hashes/sha2.js';
import { compile, number, OPS } from 'bitcoinjs-lib/src/script';
import type { BitcoinNetwork } from '../../domain/chain.ts';
import { type Hash160, type PublicKey, xOnlyOf } from '../../domain/hash.ts';
import type { Unix } from '../../domain/time.ts';
import { addressOfScript } from './address.ts';
import { leafPairOutput, type TreeLeaf } from './taproot.ts';

/**
 * How the two conditions are written: as two leaves of a Taproot output, or as one witness script (facts/onchain.md 1,
 * 2).
 */
export type HtlcForm = 'p2tr' | 'p2wsh';

/** An HTLC on the Bitcoin chain. What is paid to other terms than both sides mean is lost to one of them. */
export interface HtlcTerms {
  readonly form: HtlcForm;
  /** HASH160 of the secret. */
  readonly hash: Hash160;
  /** Takes the coin with the secret, at any time. */
  readonly claimer: PublicKey;
  /** Takes it back once median time past is above the locktime. */
  readonly refunder: PublicKey;
  /** Unix seconds. */
  readonly refundLocktime: Unix;
}

/** What pays the HTLC, and by what it is spent. */
export type HtlcScript =
  | { readonly form: 'p2tr'; readonly pkScript: Uint8Array; readonly claim: TreeLeaf; readonly refund: TreeLeaf }
  | { readonly form: 'p2wsh'; readonly pkScript: Uint8Array; readonly witnessScript: Uint8Array };

/** Locktimes that are a time and fit into a transaction: below them they are a block height (BIP-65). */
const times = { first: 500_000_000, last: 0xffff_ffff } as const;

/**
 * The scripts of an HTLC (facts/onchain.md 1, 2). Both ask for a secret of exactly 32 bytes: one of another length
 * would open this coin and not the lock on the other side. Throws on a locktime that would be a height, over long ago
 * or never; and on one that no transaction can have.
 */
export function htlcScript({ form, hash, claimer, refunder, refundLocktime }: HtlcTerms): HtlcScript {
  if (refundLocktime < times.first || refundLocktime > times.last)
    throw new RangeError(
      `the refund locktime of an HTLC is unix seconds, ${times.first} to ${times.last}, not ${refundLocktime}`,
    );
  const secret = [OPS['OP_SIZE'], Uint8Array.of(32), OPS['OP_EQUALVERIFY'], OPS['OP_HASH160'], hash];
  const waits = [number.encode(refundLocktime), OPS['OP_CHECKLOCKTIMEVERIFY'], OPS['OP_DROP']];
  if (form === 'p2tr') {
    const { pkScript, leaves } = leafPairOutput(
      compile([xOnlyOf(claimer), OPS['OP_CHECKSIGVERIFY'], ...secret, OPS['OP_EQUAL']]),
      compile([...waits, xOnlyOf(refunder), OPS['OP_CHECKSIG']]),
    );
    const [claim, refund] = leaves;
    return { form, pkScript, claim, refund };
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

/** Where the HTLC is paid. */
export function htlcAddress(terms: HtlcTerms, network: BitcoinNetwork): string {
  return addressOfScript(htlcScript(terms).pkScript, network);
}
