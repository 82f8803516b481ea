import { z } from 'zod';
import type { EvmArkadeRecord } from '../../contract/directions/evm-arkade.ts';
import { toHex } from '../../domain/hex.ts';
import { lockEnd } from '../../legs/evm/timelocks.ts';
import { safeToFundForLock } from '../../legs/safety/lock.ts';
import { fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { fundOnArkade } from '../halves/arkade/fund/half.ts';
import { targetTerms } from '../halves/arkade/fund/terms.ts';
import { targetView } from '../halves/arkade/fund/view.ts';
import { claimOnEvm } from '../halves/evm/claim/half.ts';
import { sourceTerms, agreedLock, lockOf } from '../halves/evm/claim/terms.ts';
import { sourceView } from '../halves/evm/claim/view.ts';
import { providerOf, type ProgressOf } from '../provider/machine.ts';
import { commonInOneFee, type ViewFacts } from '../view.ts';

/**
 * EVM to Arkade. The client locks a BTC-pegged token, by itself or by a signature that we relay; once the lock is
 * buried the service locks a VHTLC of the same secret. The client's claim of it shows the secret, which claims the lock
 * (facts/clients.md 2).
 *
 * Loses money when wrong: a VHTLC for a lock that is short, shallow, gone, or refundable before our own refund is
 * final; a refund of the client's signed while our VHTLC is out; the lock claimed by a secret that took nothing of
 * ours, or a VHTLC taken back after its claim opened the lock: then the client has neither.
 */
const fields = {
  ...sourceTerms,
  ...targetTerms,
  targetArkadeAddress: z.string(),
  /** The client's claim key as it was sent, for the record. */
  clientKeyText: z.string(),
};

export const evmArkade = providerOf({
  name: 'evm-arkade',
  terms: fieldsShape(fields),
  claim: claimOnEvm,
  fund: fundOnArkade,
  judge: (t, depth, now) =>
    safeToFundForLock({ ...agreedLock(t, depth), htlcRefundLocktime: t.vhtlc.refundLocktime }, now, t.policy),
  onlyIf: (t, p) => ({
    notAfter: t.lockBefore,
    escrow: { ...lockOf(t, p), htlcRefundLocktime: t.vhtlc.refundLocktime },
  }),
  notes: ['payment', 'refund'],
  unfunded: { locktime: lockEnd, script: () => null },
});
export type EvmArkadeTerms = ValueOf<typeof fields>;
export type EvmArkadeProgress = ProgressOf<typeof evmArkade>;

/**
 * The wire record of an evm-arkade swap (facts/clients.md 45).
 */
export function viewEvmArkade(facts: ViewFacts, t: EvmArkadeTerms, p: EvmArkadeProgress): EvmArkadeRecord {
  const ours = targetView(t, p, t.clientKeyText);
  const { arkade_fund_txid: fund, arkade_claim_txid: claim } = ours;
  return {
    ...commonInOneFee(facts, t),
    ...sourceView(t, p),
    ...ours,
    target_arkade_address: t.targetArkadeAddress,
    btc_vhtlc_address: t.address,
    hash_lock: `0x${toHex(t.hash)}`,
    ...(fund === undefined ? {} : { btc_fund_txid: fund }),
    ...(claim === undefined ? {} : { btc_claim_txid: claim }),
  };
}
