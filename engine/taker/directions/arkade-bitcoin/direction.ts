import { toHex } from '../../../domain/hex.ts';
import { clientOf } from '../../client/client.ts';
import { fundOnArkade } from '../../halves/arkade/fund/half.ts';
import { claimOnBitcoin } from '../../halves/bitcoin/claim/half.ts';
import type { ArkadeLeg, BitcoinLeg } from '../../terms.ts';
import { fundingWindow } from '../../window.ts';
import { order } from './order.ts';
import { restorable } from './recovered.ts';
import { terms, type TakeArkadeBitcoinTerms } from './terms.ts';
import { verifyArkadeBitcoin } from './verify.ts';

/** We fund a VHTLC, the provider pays on the Bitcoin chain, and we claim with our secret. */
export const takenArkadeBitcoin = clientOf<TakeArkadeBitcoinTerms, ArkadeLeg, BitcoinLeg>({
  direction: 'arkade-bitcoin',
  source: 'Arkade',
  target: 'Bitcoin',
  needs: ['arkade', 'bitcoin'],
  secret: 'ours',
  terms,
  fund: fundOnArkade,
  claim: claimOnBitcoin,
  order,
  request: (t) => ({
    arkade_htlc_script_version: 1,
    btc_htlc_script_version: 2,
    claim_pk: toHex(t.key),
    refund_pk: toHex(t.key),
    hash_lock: `0x${toHex(t.hash)}`,
    user_id: t.userId,
    source_amount_sats: Number(t.sourceAmount),
  }),
  verify: verifyArkadeBitcoin,
  window: fundingWindow,
  restorable,
  neverRefunded: null,
});
