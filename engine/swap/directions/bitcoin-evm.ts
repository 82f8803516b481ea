import type { BitcoinEvmRecord } from '../../contract/directions/bitcoin-evm.ts';
import { xOnlyOf } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { bitcoinOn } from '../../domain/token.ts';
import { timeHtlcTerms } from '../../legs/onchain/shape.ts';
import { safeToLockOnEvmForCoin } from '../../legs/safety/lock.ts';
import { fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { claimOnBitcoin } from '../halves/bitcoin/claim/half.ts';
import { sourceTerms, agreedCoin, coinOf } from '../halves/bitcoin/claim/terms.ts';
import { sourceView } from '../halves/bitcoin/claim/view.ts';
import { fundOnEvm } from '../halves/evm/fund/half.ts';
import { targetTerms, givenLock } from '../halves/evm/fund/terms.ts';
import { targetView } from '../halves/evm/fund/view.ts';
import { providerOf, type ProgressOf } from '../provider/machine.ts';
import { commonInOneFee, type ViewFacts } from '../view.ts';

/**
 * Bitcoin to EVM. The client pays an HTLC on the Bitcoin chain; once the coin is deep enough we lock a BTC-pegged
 * token, or the native coin, for the client on an EVM chain. The client's claim there shows its secret, and that claims
 * the bitcoin (facts/clients.md 2, facts/onchain.md 1).
 *
 * Loses money when wrong: a lock for a coin that is in no block, or is the client's again before our refund of the lock
 * is final; a secret seen and not used; a lock that is never taken back.
 */
const fields = { ...sourceTerms, ...targetTerms, htlc: timeHtlcTerms };

export const bitcoinEvm = providerOf({
  name: 'bitcoin-evm',
  terms: fieldsShape(fields),
  claim: claimOnBitcoin,
  fund: fundOnEvm,
  // As the last look said; what is true when the lock is sent, its conditions say.
  judge: (t, depth, now) => safeToLockOnEvmForCoin({ ...agreedCoin(t, depth), ...givenLock(t) }, now, t.policy),
  onlyIf: (t, p) => ({ notAfter: t.lockBefore, fundedForLock: { ...coinOf(t, p), ...givenLock(t) } }),
  notes: ['payment'],
  unfunded: { locktime: ({ htlc }) => htlc.refundLocktime, script: () => null },
});
export type BitcoinEvmTerms = ValueOf<typeof fields>;
export type BitcoinEvmProgress = ProgressOf<typeof bitcoinEvm>;

/**
 * The wire record of a bitcoin-evm swap (facts/clients.md 48). A wrong field here makes a client derive another
 * address: it could never take its bitcoin back.
 */
export function viewBitcoinEvm(facts: ViewFacts, t: BitcoinEvmTerms, p: BitcoinEvmProgress): BitcoinEvmRecord {
  return {
    ...commonInOneFee(facts, t),
    source_token: bitcoinOn('Bitcoin'),
    ...sourceView(t, p),
    ...targetView(t, p),
    evm_hash_lock: `0x${toHex(t.hash)}`,
    btc_hash_lock: toHex(t.htlc.hash),
    btc_server_pk: toHex(xOnlyOf(t.htlc.claimer)),
  };
}
