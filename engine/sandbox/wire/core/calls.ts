import type { BitcoinWorld } from '../../world/bitcoin/chain.ts';
import type { Params } from './params.ts';

export interface CoreNode {
  readonly world: BitcoinWorld;
  /** Whether the node finds transactions of blocks by their id alone. */
  readonly txindex: boolean;
  /** Whether it names who spent an output in a block, as Core 31 with `-txospenderindex` does. */
  readonly spenderIndex: boolean;
  /** Whether it tells what the transactions of a block paid. */
  readonly statistics: boolean;
  /** So many of the newest blocks are at hand, as with `-prune`. */
  readonly keepsBlocks: number;
}

export type CoreCalls = Readonly<Record<string, (node: CoreNode, params: Params) => unknown>>;
