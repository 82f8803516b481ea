import type { Sats } from '../../../domain/money.ts';
import type { Outpoint } from '../../../domain/outpoint.ts';
import type { SeenHtlcSpend } from '../../../legs/onchain/events.ts';
import { type HtlcSpentBy, readHtlcSpend } from '../../../legs/onchain/htlc-spend.ts';
import type { HtlcTerms } from '../../../legs/onchain/htlc.ts';
import { type GivenPartial, isKeySpend, purposeOf } from '../../../legs/onchain/key-spend.ts';
import type { BitcoinPort, ChainSpend } from '../../../legs/onchain/port.ts';
import { readRawTx, type RawTransaction } from '../../../legs/raw-tx.ts';

/** The partial signatures that were given for a coin. */
export type Given = (coin: Outpoint) => readonly GivenPartial[];

interface Coin {
  readonly outpoint: Outpoint;
  readonly amount: Sats;
}

/** What took a coin, by the bytes that its sources show. */
export async function readSpend(
  { terms, given }: { readonly terms: HtlcTerms; readonly given: Given },
  coin: Coin,
  { txid, height }: ChainSpend,
  bitcoin: BitcoinPort,
): Promise<SeenHtlcSpend> {
  const bytes = (await bitcoin.transaction(txid, spending(terms, coin)))?.bytes;
  const tx = bytes === undefined ? null : readRawTx(bytes);
  if (bytes === undefined || tx === null || tx.txid !== txid) return { txid, height, by: 'unknown' };
  const by = spentBy(terms, coin, tx);
  switch (by.by) {
    case 'claim':
      return { txid, height, ...by, bytes };
    case 'key':
      return { txid, height, ...by, purpose: purposeOf(coin.outpoint, tx, given(coin.outpoint)), bytes };
    default:
      return { txid, height, ...by };
  }
}

/** Whether bytes take a coin by one of its conditions. */
export function spending(terms: HtlcTerms, coin: Coin): (bytes: Uint8Array) => boolean {
  return (bytes) => {
    const tx = readRawTx(bytes);
    return tx !== null && spentBy(terms, coin, tx).by !== 'unknown';
  };
}

/** What looks like a spend by the key of both is one only where its signature holds. */
function spentBy(terms: HtlcTerms, { outpoint, amount }: Coin, tx: RawTransaction): HtlcSpentBy {
  const by = readHtlcSpend(terms, outpoint, tx) ?? { by: 'unknown' };
  if (by.by !== 'key' || terms.form !== 'musig') return by;
  return isKeySpend(terms, { ...outpoint, amount }, tx) ? by : { by: 'unknown' };
}
