import { toHex } from '../../../domain/hex.ts';
import { hash160OfSha256 } from '../../../legs/secret.ts';
import { clientOf } from '../../client/client.ts';
import { claimOnArkade } from '../../halves/arkade/claim/half.ts';
import { fundOnBitcoin } from '../../halves/bitcoin/fund/half.ts';
import type { PaidLeg } from '../../halves/bitcoin/fund/terms.ts';
import type { ArkadeLeg } from '../../terms.ts';
import { order } from './order.ts';
import { restorable } from './recovered.ts';
import { terms, type TakeBitcoinArkadeTerms } from './terms.ts';
import { verifyBitcoinArkade } from './verify.ts';

/** We pay an HTLC on the Bitcoin chain, the provider locks on Arkade, and our claim there shows it the secret. */
export const takenBitcoinArkade = clientOf<TakeBitcoinArkadeTerms, PaidLeg, ArkadeLeg>({
  direction: 'bitcoin-arkade',
  source: 'Bitcoin',
  target: 'Arkade',
  needs: ['arkade', 'bitcoin'],
  secret: 'ours',
  terms,
  fund: fundOnBitcoin,
  claim: claimOnArkade,
  order,
  request: (t) => ({
    arkade_htlc_script_version: 1,
    btc_htlc_script_version: 1,
    claim_pk: toHex(t.key),
    refund_pk: toHex(t.key),
    hash_lock: toHex(hash160OfSha256(t.hash)),
    sats_receive: Number(t.targetAmount),
    target_arkade_address: t.targetAddress,
    user_id: t.userId,
  }),
  verify: verifyBitcoinArkade,
  window: (_, { source: { payBefore } }) => ({ pay: payBefore, over: payBefore }),
  restorable,
  neverRefunded: null,
});
