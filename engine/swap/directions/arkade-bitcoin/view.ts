import type { ArkadeBitcoinRecord } from '../../../contract/directions/arkade-bitcoin.ts';
import { toHex } from '../../../domain/hex.ts';
import { sourceView } from '../../halves/arkade/claim/view.ts';
import { targetView } from '../../halves/bitcoin/fund/view.ts';
import { common, type ViewFacts } from '../../view.ts';
import type { ArkadeBitcoinProgress, ArkadeBitcoinTerms } from './terms.ts';

/** The wire record of an arkade-bitcoin swap. */
export function viewArkadeBitcoin(
  facts: ViewFacts,
  t: ArkadeBitcoinTerms,
  p: ArkadeBitcoinProgress,
): ArkadeBitcoinRecord {
  return {
    ...common(facts),
    fee_sats: Number(t.feeSats),
    network_fee_sats: Number(t.networkFeeSats),
    ...sourceView(t, p),
    arkade_vhtlc_address: t.address,
    ...targetView(t, p),
    hash_lock: `0x${toHex(t.hash)}`,
  };
}
