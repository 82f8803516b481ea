import { setTimeout as pause } from 'node:timers/promises';
import { ask, type Json } from './http.ts';
import type { DemoNode } from './node.ts';
import { patienceMs } from './tour.ts';

/** Resolves once the node offers a direction from or to these networks: it may still be connecting to them. */
export async function offered(
  node: DemoNode,
  wish: { readonly source?: string; readonly target?: string },
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const { pairs } = await ask(node, 'GET', '/swap-pairs');
    const fits = ({ source, target }: Json): boolean =>
      source === (wish.source ?? source) && target === (wish.target ?? target);
    if ((pairs as Json[]).some(fits)) return;
    if (performance.now() > deadline)
      throw new Error(
        `The node offers no swap from ${wish.source ?? 'any network'} to ${wish.target ?? 'any network'}.`,
      );
    await pause(500);
  }
}
