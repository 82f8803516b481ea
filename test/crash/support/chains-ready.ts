import { setTimeout as pause } from 'node:timers/promises';
import type { Oracle } from './oracle.ts';
import type { Stage } from './tale.ts';

/** Until what the chains cost is read, and the node has what it begins with there. */
export async function chainsReady({ node, endpoints }: Stage, { evm }: Oracle): Promise<void> {
  for (const chain of Object.keys(endpoints.evm ?? {})) {
    const { body } = await node.ask(`/owner/wallets/evm:${chain}/address`, {}, true);
    evm.know(String(body['address']));
  }
  for (;;) {
    const { pairs } = (await node.ask('/swap-pairs')).body as { pairs: { source: string; target: string }[] };
    if (['137', '31'].every((chain) => pairs.some(({ target }) => target === chain))) return;
    await pause(200);
  }
}
