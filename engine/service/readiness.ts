import { evmNetwork, isEvm } from '../domain/chain.ts';
import type { ServiceContext } from './context.ts';
import type { Needed } from './networks/reader.ts';
import { nodeStatus } from './reads.ts';

/**
 * Whether the node does all that it is there for: over every network that its owner connected new swaps are begun, and
 * no cause of the guard's own stops them. Open swaps go on either way.
 */
export function isWell(context: ServiceContext): boolean {
  return (
    nodeStatus(context).healthy &&
    connected(context).every((network) => !isClosed(context, network)) &&
    context.runtime.guard.paused()?.by !== 'guard'
  );
}

/** Whether new swaps are begun: all is well, and its owner went live and did not stop them. */
export function isReady(context: ServiceContext): boolean {
  return isWell(context) && context.runtime.guard.paused() === null && context.live();
}

/** Whether new swaps over a network are refused: by what it says or does not, by its books, or by its peg. */
export function isClosed({ networks, runtime, markets }: ServiceContext, network: Needed): boolean {
  return (
    networks.closed(network) !== null ||
    runtime.guard.closed(network) !== null ||
    (isEvm(network) && markets.closed(network) !== null)
  );
}

/** Whether or not they answer. */
function connected({ networks }: ServiceContext): readonly Needed[] {
  const seen = { arkade: networks.arkade(), lightning: networks.lightning(), bitcoin: networks.bitcoin() };
  const names = ['arkade', 'lightning', 'bitcoin'] as const;
  return [
    ...names.filter((name) => seen[name].state !== 'absent'),
    ...networks.evm().map(({ chain }) => evmNetwork(chain)),
  ];
}
