import type { Records } from '../../contract/directions/directions.ts';
import { xOnlyOf } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { bitcoinOn } from '../../domain/token.ts';
import { lockEnd } from '../../legs/evm/timelocks.ts';
import { timeHtlcTerms } from '../../legs/onchain/shape.ts';
import { safeToFundForLock } from '../../legs/safety/lock.ts';
import { fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { fundOnBitcoin } from '../halves/bitcoin/fund/half.ts';
import { targetTerms } from '../halves/bitcoin/fund/terms.ts';
import { coinView } from '../halves/bitcoin/fund/view.ts';
import { claimOnEvm } from '../halves/evm/claim/half.ts';
import { sourceTerms, agreedLock, lockOf } from '../halves/evm/claim/terms.ts';
import { sourceView } from '../halves/evm/claim/view.ts';
import { providerOf, type ProgressOf } from '../provider/machine.ts';
import { commonInOneFee, type ViewFacts } from '../view.ts';

/**
 * EVM to Bitcoin. The client locks a BTC-pegged token, by itself or by a signature that we relay; once the lock is
 * buried the service funds an HTLC of the same secret on the Bitcoin chain. The client's claim of it shows the secret,
 * which claims the lock (facts/clients.md 2).
 *
 * Loses money when wrong: a funding for a lock that is short, shallow, gone, or refundable before our own refund is; a
 * refund of the client's signed while our coin is out; the lock claimed by a secret that took nothing of ours, or a
 * coin taken back after its claim opened the lock: then the client has neither.
 */
const fields = { ...sourceTerms, ...targetTerms, htlc: timeHtlcTerms };

export const evmBitcoin = providerOf({
  name: 'evm-bitcoin',
  terms: fieldsShape(fields),
  claim: claimOnEvm,
  fund: fundOnBitcoin,
  judge: (t, depth, now) =>
    safeToFundForLock({ ...agreedLock(t, depth), htlcRefundLocktime: t.htlc.refundLocktime }, now, t.policy),
  onlyIf: (t, p) => ({
    notAfter: t.lockBefore,
    escrow: { ...lockOf(t, p), htlcRefundLocktime: t.htlc.refundLocktime },
  }),
  notes: ['payment', 'refund'],
  unfunded: { locktime: lockEnd, script: () => null },
});
export type EvmBitcoinTerms = ValueOf<typeof fields>;
export type EvmBitcoinProgress = ProgressOf<typeof evmBitcoin>;

/**
 * The wire record of an evm-bitcoin swap (facts/clients.md 22). The hash of the Bitcoin side is bare hex, its keys are
 * x-only.
 */
export function viewEvmBitcoin(facts: ViewFacts, t: EvmBitcoinTerms, p: EvmBitcoinProgress): Records['evm-bitcoin'] {
  return {
    ...commonInOneFee(facts, t),
    ...sourceView(t, p),
    target_amount: t.targetAmount.toString(),
    target_token: bitcoinOn('Bitcoin'),
    btc_hash_lock: toHex(t.htlc.hash),
    evm_hash_lock: `0x${toHex(t.hash)}`,
    btc_htlc_address: t.htlcAddress,
    btc_htlc_script_version: 1,
    btc_refund_locktime: t.htlc.refundLocktime,
    btc_server_refund_pk: toHex(xOnlyOf(t.htlc.refunder)),
    btc_user_claim_pk: toHex(xOnlyOf(t.htlc.claimer)),
    ...(t.targetAddress === null ? {} : { target_btc_address: t.targetAddress }),
    ...coinView(p),
  };
}
