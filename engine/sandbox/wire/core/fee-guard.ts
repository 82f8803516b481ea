import type { BitcoinWorld } from '../../world/bitcoin/chain.ts';
import type { MempoolEntry } from '../../world/bitcoin/mempool.ts';
import type { Tx } from '../../world/bitcoin/tx.ts';
import { bitcoins } from './json.ts';
import { RpcError } from './rpc-error.ts';

const wrongAmount = -25;
/** Core's guard against a slip of the fee, in BTC per kvB. */
export const mostFeeRate = 0.1;

/** As Core does before a transaction enters, and thereby an Esplora server, which asks its node for nothing else. */
export function guardFee(world: BitcoinWorld, tx: Tx, limit = mostFeeRate): void {
  if (world.waiting(tx.txid) === undefined && exceeds(world.judge(tx).entry, limit))
    throw new RpcError(wrongAmount, 'Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)');
}

/** 0 is no limit. */
export function exceeds({ fee, tx }: MempoolEntry, limit: number): boolean {
  return limit > 0 && (bitcoins(fee) * 1_000) / tx.vsize > limit;
}
