import { Board } from './board.tsx';
import { NodeSwap } from './node-swap.tsx';
import { NodeSwaps } from './node-swaps.tsx';

/** The pages of who provides swaps to others: the board, every swap of the node, one of them. */
export function BoardPages({ rest: [what] }: { rest: readonly string[] }) {
  if (what === undefined) return <Board />;
  return what === 'all' ? <NodeSwaps /> : <NodeSwap key={what} id={what} />;
}
