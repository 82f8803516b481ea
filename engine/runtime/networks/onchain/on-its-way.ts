import type { Txid } from '../../../domain/outpoint.ts';
import type { BitcoinPort, ChainTx } from '../../../legs/onchain/port.ts';
import { readRawTx } from '../../../legs/raw-tx.ts';
import { whoeverShows } from './transactions.ts';

/**
 * A transaction of ours that may be in no block yet, as anybody shows it. No block is read for it: where one has it,
 * its script's payments show it. `overtaken`: what takes the coin that it spends first is another one, as where that is
 * being taken back. Who shows it beside that must not end the taking back, by which it can never be mined
 * (facts/faults.md 248, 290).
 */
export async function onItsWay(txid: Txid, bitcoin: BitcoinPort): Promise<ChainTx | 'overtaken' | null> {
  const tx = await bitcoin.glance(txid);
  if (tx === null || tx.height !== null) return tx;
  const [first] = readRawTx(tx.bytes)?.inputs ?? [];
  const spend = first === undefined ? null : await bitcoin.spend(first, whoeverShows);
  return spend === null || spend.txid === txid ? tx : 'overtaken';
}
