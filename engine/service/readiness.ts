import type { ServiceContext } from './context.ts';
import { nodeStatus } from './reads.ts';

/**
 * Whether the node does all that it is there for: every network that its owner connected answers, and no cause of the
 * guard's own stops new swaps. Open swaps go on either way.
 */
export function isWell(context: ServiceContext): boolean {
  const chains = context.networks.evm();
  return (
    nodeStatus(context).healthy &&
    chains.every(({ state }) => state === 'connected') &&
    context.runtime.guard.paused()?.by !== 'guard'
  );
}

/** Whether new swaps are begun: all is well, and its owner went live and did not stop them. */
export function isReady(context: ServiceContext): boolean {
  return isWell(context) && context.runtime.guard.paused() === null && context.live();
}
