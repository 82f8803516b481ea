import { toHex } from '../../../engine/domain/hex.ts';
import {
  checkScripts,
  isFinal,
  sequenceLocksPass,
  type ChainTime,
} from '../../../engine/sandbox/world/bitcoin/consensus.ts';
import type { Coin } from '../../../engine/sandbox/world/bitcoin/ledger.ts';
import { checkWitnesses } from '../../../engine/sandbox/world/bitcoin/policy.ts';
import { TxRejected } from '../../../engine/sandbox/world/bitcoin/rejection.ts';
import { parseTx, type Tx } from '../../../engine/sandbox/world/bitcoin/tx.ts';
import { createMiner } from './miner.ts';
import type { Rpc } from './rpc.ts';

/** What a Bitcoin node and the sandbox say to the same bytes. */
export interface Verdicts {
  readonly node: boolean;
  readonly sandbox: boolean;
}

/** Puts spends of coins on a node's chain to both; neither keeps them. */
export function judgesOn(rpc: () => Rpc) {
  const miner = createMiner(rpc);
  return async (spends: readonly { bytes: Uint8Array; coins: readonly Coin[] }[]): Promise<Verdicts[]> => {
    const height = await rpc().call<number>('getblockcount');
    const mtps = new Map<number, number>();
    for (const at of new Set([height, ...spends.flatMap(({ coins }) => coins.map((coin) => (coin.height ?? 1) - 1))]))
      mtps.set(at, await miner.medianTime(await rpc().call<string>('getblockhash', at)));
    const mtpAt = (at: number) => mtps.get(at) ?? 0;
    const time: ChainTime = { height, mtp: mtpAt(height), mtpAt };
    const answers = await rpc().batch<{ allowed: boolean }[]>(
      spends.map(({ bytes }) => ['testmempoolaccept', [toHex(bytes)], 0]),
    );
    return spends.map(({ bytes, coins }, i) => ({
      node: answers[i]?.[0]?.allowed === true,
      sandbox: accepted(parseTx(bytes), coins, time),
    }));
  };
}

/** By the clock and the scripts alone: amounts and fees are the rule table's. */
function accepted(tx: Tx, coins: readonly Coin[], time: ChainTime): boolean {
  if (!isFinal(tx, time) || !sequenceLocksPass(tx, coins, time)) return false;
  try {
    checkWitnesses(tx, coins);
    checkScripts(tx, coins);
    return true;
  } catch (error) {
    if (error instanceof TxRejected) return false;
    throw error;
  }
}
