import type { BitcoinEvmRecord } from '../../contract/directions/bitcoin-evm.ts';
import { xOnlyOf } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { bitcoinOn } from '../../domain/token.ts';
import { lockEnd } from '../../legs/evm/timelocks.ts';
import { timeHtlcTerms } from '../../legs/onchain/shape.ts';
import { safeToLockOnEvmForCoin } from '../../legs/safety/lock.ts';
import { fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { claimOnBitcoin } from '../halves/bitcoin/claim/half.ts';
import { sourceTerms, type OnchainClaim } from '../halves/bitcoin/claim/terms.ts';
import { sourceView } from '../halves/bitcoin/claim/view.ts';
import { fundOnEvm } from '../halves/evm/fund/half.ts';
import { targetTerms, type EvmFund } from '../halves/evm/fund/terms.ts';
import { targetView } from '../halves/evm/fund/view.ts';
import type { ProviderProgress } from '../provider/direction.ts';
import { providerOf } from '../provider/machine.ts';
import { common, type ViewFacts } from '../view.ts';

/**
 * Bitcoin to EVM. The client pays an HTLC on the Bitcoin chain; once the coin is deep enough we lock a BTC-pegged
 * token, or the native coin, for the client on an EVM chain. The client's claim there shows its secret, and that claims
 * the bitcoin (facts/clients.md 2, facts/onchain.md 1).
 *
 * Loses money when wrong: a lock for a coin that is in no block, or is the client's again before our refund of the lock
 * is final; a secret seen and not used; a lock that is never taken back.
 */
const fields = { ...sourceTerms, ...targetTerms, htlc: timeHtlcTerms };
export type BitcoinEvmTerms = ValueOf<typeof fields>;
export type BitcoinEvmProgress = ProviderProgress<OnchainClaim, EvmFund>;

/** What the lock hangs on, at the create and at each act. */
function lockFacts(t: BitcoinEvmTerms) {
  const { sourceAmount, confirmations, htlc, network } = t;
  return { sourceAmount, confirmations, refundLocktime: htlc.refundLocktime, network, timelock: lockEnd(t) };
}

/**
 * The client pays an HTLC on the Bitcoin chain, we lock on an EVM chain, and the secret that the client's claim there
 * shows claims the bitcoin.
 */
export const bitcoinEvm = providerOf<BitcoinEvmTerms, OnchainClaim, EvmFund>({
  name: 'bitcoin-evm',
  terms: fieldsShape(fields),
  claim: claimOnBitcoin,
  fund: fundOnEvm,
  // As the last look said; what is true when the lock is sent, its conditions say.
  judge: (t, depth, now) =>
    safeToLockOnEvmForCoin({ coin: { amount: t.sourceAmount, depth }, ...lockFacts(t) }, now, t.policy),
  onlyIf: (t, { coin: outpoint }) => ({
    notAfter: t.lockBefore,
    fundedForLock: { script: t.htlcScript, outpoint, policy: t.policy, ...lockFacts(t) },
  }),
  notes: ['payment'],
  hash160: (t) => t.htlc.hash,
  unfunded: { locktime: ({ htlc }) => htlc.refundLocktime, script: () => null },
});

/**
 * The wire record of a bitcoin-evm swap (facts/clients.md 48). Its fee holds the network fee: the record has no field
 * for that. A wrong field here makes a client derive another address: it could never take its bitcoin back.
 */
export function viewBitcoinEvm(facts: ViewFacts, t: BitcoinEvmTerms, p: BitcoinEvmProgress): BitcoinEvmRecord {
  return {
    ...common(facts),
    fee_sats: Number(t.feeSats + t.networkFeeSats),
    source_token: bitcoinOn('Bitcoin'),
    ...sourceView(t, p),
    ...targetView(t, p),
    evm_hash_lock: `0x${toHex(t.hash)}`,
    btc_hash_lock: toHex(t.htlc.hash),
    btc_server_pk: toHex(xOnlyOf(t.htlc.claimer)),
  };
}
