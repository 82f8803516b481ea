import type { ServiceContext } from '../context.ts';

/** Milliseconds that a create may still wait for its networks. */
export type Patience = () => number;

/**
 * Begun with the create: whatever it waits for in turn, its client was told that `timing.createWaitSeconds` later it is
 * answered, and asks again from then on.
 */
export function createPatience({ config }: Pick<ServiceContext, 'config'>): Patience {
  const until = performance.now() + config.timing.createWaitSeconds * 1_000;
  return () => Math.max(0, until - performance.now());
}
