import { toHex } from '../../../domain/hex.ts';
import { unix } from '../../../domain/time.ts';
import { clientOf } from '../../client/client.ts';
import { fundOnBitcoin } from '../../halves/bitcoin/fund/half.ts';
import type { PaidLeg } from '../../halves/bitcoin/fund/terms.ts';
import { paidOverLightning } from '../../halves/lightning/payout.ts';
import type { LightningLeg } from '../../terms.ts';
import { order } from './order.ts';
import { restorable } from './recovered.ts';
import { terms, type TakeBitcoinLightningTerms } from './terms.ts';
import { verifyBitcoinLightning } from './verify.ts';

/** We pay on the Bitcoin chain, the provider pays an invoice, and takes our bitcoin with the secret that proves it. */
export const takenBitcoinLightning = clientOf<TakeBitcoinLightningTerms, PaidLeg, LightningLeg>({
  direction: 'bitcoin-lightning',
  source: 'Bitcoin',
  target: 'Lightning',
  needs: ['bitcoin'],
  secret: 'payee',
  terms,
  fund: fundOnBitcoin,
  claim: paidOverLightning,
  order,
  request: (t) => ({
    btc_htlc_script_version: 2,
    refund_pk: toHex(t.key),
    user_id: t.userId,
    lightning_invoice: t.bolt11,
  }),
  verify: verifyBitcoinLightning,
  // What is mined when the invoice is over comes back after a day: it is not begun that late.
  window(_, { source: { payBefore }, target: { expiresAt } }) {
    const pay = unix(Math.min(payBefore, expiresAt));
    return { pay, over: pay };
  },
  restorable,
  neverRefunded: null,
});
