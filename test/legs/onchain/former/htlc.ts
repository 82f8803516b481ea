import { concatBytes } from '@noble/hashes/utils.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { Address, OutScript, Script } from '@scure/btc-signer';
import type { BitcoinNetwork } from '../../../../engine/domain/chain.ts';
import { xOnlyOf } from '../../../../engine/domain/hash.ts';
import { type Leaf, tapScript } from '../../../../engine/legs/tapscript.ts';
import type { HtlcTerms } from '../../../../engine/legs/onchain/htlc.ts';
import { addressForms } from './address.ts';

/** What pays the HTLC, and by what it is spent. */
export type HtlcScript =
  | { readonly form: 'p2tr'; readonly pkScript: Uint8Array; readonly claim: Leaf; readonly refund: Leaf }
  | { readonly form: 'p2wsh'; readonly pkScript: Uint8Array; readonly witnessScript: Uint8Array };

/** Below it a locktime is a block height (BIP-65). */
const firstTime = 500_000_000;

/**
 * The scripts of an HTLC (facts/onchain.md 1, 2). Both ask for a secret of exactly 32 bytes: one of another length would open this coin and
 * not the lock on the other side. Throws on a locktime that would be a height: it would be over long ago, or never.
 */
export function htlcScript({ form, hash, claimer, refunder, refundLocktime }: HtlcTerms): HtlcScript {
  if (refundLocktime < firstTime)
    throw new RangeError(
      `the refund locktime of an HTLC is unix seconds, at least ${firstTime}, not ${refundLocktime}`,
    );
  const secret = (last: 'EQUAL' | 'EQUALVERIFY') =>
    ['SIZE', Uint8Array.of(32), 'EQUALVERIFY', 'HASH160', hash, last] as const;
  if (form === 'p2tr') {
    const { pkScript, leaves } = tapScript([
      Script.encode([xOnlyOf(claimer), 'CHECKSIGVERIFY', ...secret('EQUAL')]),
      Script.encode([refundLocktime, 'CHECKLOCKTIMEVERIFY', 'DROP', xOnlyOf(refunder), 'CHECKSIG']),
    ]);
    const [claim, refund] = leaves as [Leaf, Leaf];
    return { form, pkScript, claim, refund };
  }
  const witnessScript = Script.encode([
    'IF',
    ...secret('EQUALVERIFY'),
    claimer,
    'ELSE',
    refundLocktime,
    'CHECKLOCKTIMEVERIFY',
    'DROP',
    refunder,
    'ENDIF',
    'CHECKSIG',
  ]);
  return { form, pkScript: concatBytes(Uint8Array.of(0, 32), sha256(witnessScript)), witnessScript };
}

/** Where the HTLC is paid. */
export function htlcAddress(terms: HtlcTerms, network: BitcoinNetwork): string {
  return Address(addressForms[network]).encode(OutScript.decode(htlcScript(terms).pkScript));
}
