import { toHex } from '../../../../domain/hex.ts';
import { bitcoinOn } from '../../../../domain/token.ts';
import { compressed, vhtlcFields } from '../../../view.ts';
import { lockTxidOf, type ArkadeTarget } from './terms.ts';

type LockProgress = Parameters<typeof lockTxidOf>[0] & { readonly redeemTxid?: string | null };

/**
 * What a record says of our VHTLC (facts/clients.md 19, 20). A wrong field here makes a client derive another address
 * and refuse to pay, or claim nothing. `claimKey`: the client's, as it was sent.
 */
export function targetView(t: ArkadeTarget, p: LockProgress, claimKey: string) {
  const fund = lockTxidOf(p);
  const { redeemTxid: redeem = null } = p;
  return {
    target_amount: t.targetAmount.toString(),
    target_token: bitcoinOn('Arkade'),
    ...vhtlcFields(t.vhtlc),
    receiver_pk: compressed(claimKey),
    sender_pk: toHex(t.serverKey),
    ...(fund === undefined ? {} : { arkade_fund_txid: fund }),
    ...(redeem === null ? {} : { arkade_claim_txid: redeem }),
  };
}
