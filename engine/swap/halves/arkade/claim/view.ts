import { toHex } from '../../../../domain/hex.ts';
import { noSats, type Sats } from '../../../../domain/money.ts';
import type { Outpoint, Txid } from '../../../../domain/outpoint.ts';
import { bitcoinOn } from '../../../../domain/token.ts';
import { compressed, vhtlcFields } from '../../../view.ts';
import type { ExtraCoin } from '../../extra-coins.ts';
import type { SourceTerms } from './terms.ts';

/** A state, as far as a record says something of it. */
interface Shown {
  readonly at: string;
  readonly coin?: Outpoint;
  readonly extras?: readonly ExtraCoin[];
  readonly surplus?: Sats;
  readonly claimTxid?: Txid | null;
  readonly refundTxid?: Txid | null;
}

/** What funded the client's VHTLC, and what took it from there: our claim, or its own refund. */
export function takenBy({ at, coin, extras, claimTxid, refundTxid }: Shown) {
  return {
    fund: coin?.txid ?? extras?.[0]?.outpoint.txid ?? null,
    claim: (at === 'claimed' ? claimTxid : at === 'refunded' ? refundTxid : null) ?? null,
  };
}

/**
 * What every record says of the VHTLC that the client funds, but for its address (facts/clients.md 19). A wrong field
 * here makes a client derive another address and refuse to pay.
 */
export function sourceView(t: SourceTerms, p: Shown) {
  const { surplus = noSats } = p;
  const { fund, claim } = takenBy(p);
  return {
    source_amount: t.sourceAmount.toString(),
    source_token: bitcoinOn('Arkade'),
    ...(surplus > noSats ? { surplus_amount: surplus.toString() } : {}),
    ...vhtlcFields(t.vhtlc),
    receiver_pk: toHex(t.serverKey),
    sender_pk: compressed(t.clientKeyText),
    ...(fund === null ? {} : { arkade_fund_txid: fund }),
    ...(claim === null ? {} : { arkade_claim_txid: claim }),
  };
}
