import { setTimeout as pause } from 'node:timers/promises';
import type { Stage } from './tale.ts';

/** What EVM chains do to everybody meanwhile: what is sent is lost, an RPC goes away, blocks are replaced. */
export async function weather(
  { wallet: { controls }, chance }: Stage,
  chains: readonly string[],
  isOver: () => boolean,
): Promise<void> {
  if (chains.length === 0) return;
  const kinds = {
    async drops(chain: string) {
      await controls.evmFault(chain, { next_transaction: 'drops' });
    },
    async away(chain: string) {
      await controls.evmFault(chain, { rpc: 'away' });
      await pause(chance.between(500, 4_000));
      await controls.evmFault(chain, { rpc: 'back' });
    },
    async reorg(chain: string) {
      await controls.evmReorg(chain, 1 + Math.floor(chance.next() * 2));
    },
  };
  while (!isOver()) {
    await pause(chance.between(500, 4_000));
    await chance.pick(Object.values(kinds))(chance.pick(chains));
  }
}
