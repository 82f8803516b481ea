import type { ArkadeLightningRecord } from '../../../contract/directions/arkade-lightning.ts';
import { toHex } from '../../../domain/hex.ts';
import { noSats } from '../../../domain/money.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { targetView } from '../../halves/lightning/pay-view.ts';
import { common, compressed, vhtlcFields, type ViewFacts } from '../../view.ts';
import type { ArkadeLightningProgress, ArkadeLightningTerms } from './terms.ts';

/** The wire record of an arkade-lightning swap (facts/clients.md 19). */
export function viewArkadeLightning(
  facts: ViewFacts,
  t: ArkadeLightningTerms,
  p: ArkadeLightningProgress,
): ArkadeLightningRecord {
  const fundTxid = 'coin' in p ? p.coin.txid : 'extras' in p ? p.extras[0]?.outpoint.txid : undefined;
  const claimTxid = p.at === 'claimed' ? p.claimTxid : p.at === 'refunded' ? p.refundTxid : null;
  const surplus = 'surplus' in p ? p.surplus : noSats;
  return {
    ...common(facts),
    fee_sats: Number(t.feeSats),
    network_fee_sats: Number(t.networkFeeSats),
    source_amount: t.sourceAmount.toString(),
    source_token: bitcoinOn('Arkade'),
    ...targetView(t),
    ...(surplus > noSats ? { surplus_amount: surplus.toString() } : {}),
    ...vhtlcFields(t.vhtlc),
    receiver_pk: toHex(t.serverKey),
    sender_pk: compressed(t.clientKeyText),
    arkade_vhtlc_address: t.address,
    ...(fundTxid === undefined ? {} : { arkade_fund_txid: fundTxid }),
    ...(claimTxid === null ? {} : { arkade_claim_txid: claimTxid }),
  };
}
