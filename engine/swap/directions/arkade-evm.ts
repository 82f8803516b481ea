import type { ArkadeEvmRecord } from '../../contract/directions/arkade-evm.ts';
import { toHex } from '../../domain/hex.ts';
import { safeToLockOnEvm } from '../../legs/safety/lock.ts';
import { fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { claimOnArkade } from '../halves/arkade/claim/half.ts';
import { sourceTerms, agreedCoin, coinOf } from '../halves/arkade/claim/terms.ts';
import { sourceView, takenBy } from '../halves/arkade/claim/view.ts';
import { fundOnEvm } from '../halves/evm/fund/half.ts';
import { targetTerms, givenLock } from '../halves/evm/fund/terms.ts';
import { targetView } from '../halves/evm/fund/view.ts';
import { providerOf, type ProgressOf } from '../provider/machine.ts';
import { commonInOneFee, type ViewFacts } from '../view.ts';

/**
 * Arkade to EVM. The client funds a VHTLC; once the coin is good we lock a BTC-pegged token, or the native coin, for
 * the client on an EVM chain. The client's claim there shows its secret, and that claims the VHTLC (facts/clients.md
 * 2).
 *
 * Loses money when wrong: a lock against a coin that is short, gone, or refundable before the lock can be taken back; a
 * refund of the client's cosigned while the lock may still be claimed; a lock that is never taken back.
 */
const fields = { ...sourceTerms, ...targetTerms };

export const arkadeEvm = providerOf({
  name: 'arkade-evm',
  terms: fieldsShape(fields),
  claim: claimOnArkade,
  fund: fundOnEvm,
  judge: (t, coin, now) => safeToLockOnEvm({ coin, ...agreedCoin(t), ...givenLock(t) }, now, t.policy),
  onlyIf: (t, p) => ({ notAfter: t.lockBefore, backing: { ...coinOf(t, p), ...givenLock(t) } }),
  notes: ['payment', 'refund'],
  unfunded: { locktime: ({ vhtlc }) => vhtlc.refundLocktime, script: ({ script }) => script },
});
export type ArkadeEvmTerms = ValueOf<typeof fields>;
export type ArkadeEvmProgress = ProgressOf<typeof arkadeEvm>;

/**
 * The wire record of an arkade-evm swap (facts/clients.md 22).
 */
export function viewArkadeEvm(facts: ViewFacts, t: ArkadeEvmTerms, p: ArkadeEvmProgress): ArkadeEvmRecord {
  const { fund, claim } = takenBy(p);
  return {
    ...commonInOneFee(facts, t),
    ...sourceView(t, p),
    btc_vhtlc_address: t.address,
    ...(fund === null ? {} : { btc_fund_txid: fund }),
    ...(claim === null ? {} : { btc_claim_txid: claim }),
    ...targetView(t, p),
    hash_lock: `0x${toHex(t.hash)}`,
  };
}
