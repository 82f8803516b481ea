import { setTimeout as pause } from 'node:timers/promises';
import type { BitcoinCoin } from '../../stories/client/from-bitcoin.ts';
import type { Oracle } from './oracle.ts';
import type { SwapRecord } from './verdict.ts';

const againMs = 200;

/**
 * The coins at a client's HTLC that nobody took, each until a block has what takes it: a swap that is watched no longer
 * is looked at when somebody reads it, and once an hour at most.
 */
export async function takenBack(
  { bitcoin }: Oracle,
  record: SwapRecord,
  take: (coin: BitcoinCoin) => Promise<unknown>,
): Promise<void> {
  for (;;) {
    const left = ((await bitcoin.legOf(record)) ?? []).filter(
      ({ spent, by }) => spent === 'unspent' || (spent === 'refund' && by?.mined !== true),
    );
    if (left.length === 0) return;
    for (const { outpoint, amount, spent } of left) {
      if (spent !== 'unspent') continue;
      const [txid = '', vout] = outpoint.split(':');
      await take({ txid, vout: Number(vout), amount }).catch(() => undefined); // asked again below
    }
    await pause(againMs);
  }
}
