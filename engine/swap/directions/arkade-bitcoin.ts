import type { ArkadeBitcoinRecord } from '../../contract/directions/arkade-bitcoin.ts';
import { toHex } from '../../domain/hex.ts';
import { locktimeOf } from '../../legs/onchain/locktime.ts';
import { musigHtlcTerms } from '../../legs/onchain/shape.ts';
import { safeToFundForVhtlc } from '../../legs/safety/lock.ts';
import { sha256, fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { claimOnArkade } from '../halves/arkade/claim/half.ts';
import { sourceTerms, agreedCoin, coinOf } from '../halves/arkade/claim/terms.ts';
import { sourceView } from '../halves/arkade/claim/view.ts';
import { fundOnBitcoin } from '../halves/bitcoin/fund/half.ts';
import { targetTerms } from '../halves/bitcoin/fund/terms.ts';
import { targetView } from '../halves/bitcoin/fund/view.ts';
import { providerOf, type ProgressOf } from '../provider/machine.ts';
import { common, type ViewFacts } from '../view.ts';

/**
 * Arkade to Bitcoin. The client funds a VHTLC; once the coin is good the service funds an HTLC of the same secret on
 * the Bitcoin chain. The client's claim of it gives the secret, which claims the VHTLC. One key of ours is in both.
 *
 * Loses money when wrong: a funding for a coin that is short, gone, or the client's again before our coin is claimed or
 * ours again; a refund of the client's signed while our coin may be claimed; a secret seen and not used.
 */
const fields = {
  ...sourceTerms,
  ...targetTerms,
  htlc: musigHtlcTerms,
  /** As the client sent it, for the record: both scripts have its RIPEMD-160. */
  hash: sha256,
};

export const arkadeBitcoin = providerOf({
  name: 'arkade-bitcoin',
  terms: fieldsShape(fields),
  claim: claimOnArkade,
  fund: fundOnBitcoin,
  judge: (t, coin, now) =>
    safeToFundForVhtlc({ coin, ...agreedCoin(t), htlcRefundLocktime: locktimeOf(t.htlc) }, now, t.policy),
  onlyIf: (t, p) => ({
    notAfter: t.lockBefore,
    backingForCoin: { ...coinOf(t, p), htlcRefundLocktime: locktimeOf(t.htlc) },
  }),
  notes: ['payment', 'refund'],
  unfunded: { locktime: ({ vhtlc }) => vhtlc.refundLocktime, script: ({ script }) => script },
});
export type ArkadeBitcoinTerms = ValueOf<typeof fields>;
export type ArkadeBitcoinProgress = ProgressOf<typeof arkadeBitcoin>;

/** The wire record of an arkade-bitcoin swap. */
export function viewArkadeBitcoin(
  facts: ViewFacts,
  t: ArkadeBitcoinTerms,
  p: ArkadeBitcoinProgress,
): ArkadeBitcoinRecord {
  return {
    ...common(facts, t),
    ...sourceView(t, p),
    arkade_vhtlc_address: t.address,
    ...targetView(t, p),
    hash_lock: `0x${toHex(t.hash)}`,
  };
}
