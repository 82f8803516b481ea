import { noSats, type Sats } from '../../../../domain/money.ts';
import type { Outpoint, Txid } from '../../../../domain/outpoint.ts';
import type { ExtraCoin } from '../../extra-coins.ts';
import type { OnchainSourceTerms } from './terms.ts';

/** Of any state of a swap what its record says of the client's coin. */
type CoinProgress =
  | { readonly at: string; readonly coin: Outpoint; readonly surplus: Sats; readonly mined?: Txid | null }
  | { readonly at: string; readonly extras: readonly ExtraCoin[] }
  | { readonly at: string };

/** What was paid, or lies at the address of a swap that nothing is given for. */
function fundTxidOf(p: CoinProgress): Txid | undefined {
  if ('coin' in p) return p.coin.txid;
  return 'extras' in p && p.at !== 'pending' ? p.extras[0]?.outpoint.txid : undefined;
}

/** What a record says of the HTLC that the client pays. */
export function sourceView(t: OnchainSourceTerms, p: CoinProgress) {
  const surplus = 'surplus' in p ? p.surplus : noSats;
  const fund = fundTxidOf(p);
  // Named once a block has it: signed, or in a mempool, another one may take its place.
  const taken = 'mined' in p ? (p.mined ?? null) : null;
  return {
    source_amount: t.sourceAmount.toString(),
    ...(surplus > noSats ? { surplus_amount: surplus.toString() } : {}),
    btc_htlc_address: t.htlcAddress,
    btc_htlc_script_version: 1,
    btc_funding_confirmations: t.confirmations,
    btc_refund_locktime: t.htlc.refundLocktime,
    ...(fund === undefined ? {} : { btc_fund_txid: fund }),
    ...(taken === null ? {} : { btc_claim_txid: taken }),
  };
}
