import { outpointKey } from '../../domain/outpoint.ts';
import type { BitcoinPort, BroadcastAnswer } from '../../legs/onchain/port.ts';
import { readTransaction } from './raw.ts';

/**
 * Nodes say the same of an input that is spent and of one that they have not seen yet. Spent needs a spender that can
 * be named; ours among them means that the transaction is there already; everything else may still heal.
 */
export async function missingOrSpent(
  port: Pick<BitcoinPort, 'spend'>,
  transaction: Uint8Array,
  reason: string,
): Promise<BroadcastAnswer> {
  const { txid, inputs } = readTransaction(transaction);
  for (const input of inputs) {
    const spend = await port.spend(input);
    if (spend === null) continue;
    return spend.txid === txid
      ? { is: 'accepted' }
      : { is: 'spent', reason: `${reason}: ${outpointKey(input)} is spent by ${spend.txid}` };
  }
  return { is: 'later', reason };
}
