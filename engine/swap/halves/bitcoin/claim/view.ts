import { toHex } from '../../../../domain/hex.ts';
import { noSats, type Sats } from '../../../../domain/money.ts';
import type { Txid } from '../../../../domain/outpoint.ts';
import { bitcoinOn } from '../../../../domain/token.ts';
import type { TimeHtlcTerms } from '../../../../legs/onchain/htlc.ts';
import { locktimeOf } from '../../../../legs/onchain/locktime.ts';
import type { ExtraCoin } from '../../extra-coins.ts';
import type { Coin, OnchainSourceTerms } from './terms.ts';

/** A state, as far as a record says something of it. */
interface Shown extends Partial<Coin> {
  readonly at: string;
  readonly extras?: readonly ExtraCoin[];
  readonly mined?: Txid | null;
}

/** What every record says of the coins at the client's HTLC, and of our claim. */
export function coinView({ at, coin, extras, surplus = noSats as Sats, mined }: Shown) {
  const shown = coin?.txid ?? (at === 'pending' ? undefined : extras?.[0]?.outpoint.txid);
  return {
    ...(surplus > noSats ? { surplus_amount: surplus.toString() } : {}),
    ...(shown === undefined ? {} : { btc_fund_txid: shown }),
    // Named once a block has it: signed, or in a mempool, another one may take its place.
    ...(mined === undefined || mined === null ? {} : { btc_claim_txid: mined }),
  };
}

/** The source side of a record whose HTLC ends at a height. A wrong field here makes a client refuse to pay. */
export function sourceViewByHeight(t: OnchainSourceTerms, p: Shown) {
  return {
    source_amount: t.sourceAmount.toString(),
    source_token: bitcoinOn('Bitcoin'),
    btc_htlc_address: t.htlcAddress,
    btc_htlc_script_version: 2,
    btc_refund_locktime: locktimeOf(t.htlc),
    btc_server_claim_pk: toHex(t.htlc.claimer),
    btc_user_refund_pk: toHex(t.htlc.refunder),
    btc_funding_confirmations: t.confirmations,
    ...coinView(p),
  };
}

/** What a record says of an HTLC of the client's that ends at a time. */
export function sourceView(t: Omit<OnchainSourceTerms, 'htlc'> & { readonly htlc: TimeHtlcTerms }, p: Shown) {
  return {
    source_amount: t.sourceAmount.toString(),
    btc_htlc_address: t.htlcAddress,
    btc_htlc_script_version: 1,
    btc_funding_confirmations: t.confirmations,
    btc_refund_locktime: t.htlc.refundLocktime,
    ...coinView(p),
  };
}
