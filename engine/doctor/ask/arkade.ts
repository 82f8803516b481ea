import { probeOperator } from '../../adapters/arkade/probe.ts';
import type { Vtxo } from '../../legs/arkade/vtxo.ts';
import type { ArkadeWallet, OperatorEndpoint } from '../judge/arkade.ts';

/** Null where none is configured. */
export async function askOperator(url: string | null, patience: number): Promise<OperatorEndpoint | null> {
  return url === null
    ? null
    : {
        name: `the Arkade operator at ${new URL(url).host}`,
        setting: 'arkade.url',
        answer: await probeOperator(url, patience),
      };
}

/** The node's own coins, as only a node with its keys can list them. */
export interface NodeCoins {
  atOperator(): Promise<readonly Vtxo[]>;
  /** Those that left the operator for the chain, as the node last saw them. */
  onChain(): ArkadeWallet['onChain'];
}

/** Null also where the operator does not answer: that has its own row. */
export async function askWallet(coins: NodeCoins | null, wall: () => number): Promise<ArkadeWallet | null> {
  const all = await coins?.atOperator().catch(() => null);
  if (coins === null || all === null || all === undefined) return null;
  const alive = all.filter((coin) => !coin.spent && !coin.recoverable && !coin.unrolled);
  return {
    available: alive.reduce((sum, { amount }) => sum + amount, 0n),
    firstExpiry: alive.length === 0 ? null : Math.min(...alive.map(({ expiresAt }) => expiresAt)),
    now: wall(),
    onChain: coins.onChain(),
  };
}
