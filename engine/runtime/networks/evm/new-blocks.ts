import type { EvmNetwork } from '../../../domain/chain.ts';
import { PortFailure } from '../../../domain/errors.ts';
import { evmOf } from '../../ports.ts';
import type { WatchOptions } from '../watching.ts';

/** Milliseconds between two questions for the number of the last block. */
const everyMs = 1_000;

/**
 * Tells of the new blocks of the chains on which anything is open, by whichever of their RPCs names one first: what
 * another one names beside it is told too, for its logs are its own word. Nothing is asked where nothing is open.
 */
export function createNewBlocks({
  ports,
  pollMs,
  onFailure,
  networks,
  onBlock,
}: Pick<WatchOptions, 'ports' | 'pollMs' | 'onFailure'> & {
  /** On which anything is open. */
  readonly networks: () => ReadonlySet<EvmNetwork>;
  readonly onBlock: (network: EvmNetwork) => void;
}) {
  const heights = new Map<string, number>();
  let timer: NodeJS.Timeout | null = null;

  async function ask(network: EvmNetwork): Promise<void> {
    await evmOf(ports, network).heights((rpc, height) => {
      const name = `${network} ${rpc}`;
      if (heights.get(name) === height) return;
      heights.set(name, height);
      onBlock(network);
    });
  }

  /** What keeps a chain from being asked is said of the looks at it. */
  function failing(cause: unknown): void {
    if (!(cause instanceof PortFailure)) onFailure(null, cause);
  }

  return {
    /** Looks that come as often by themselves need nobody who tells of blocks. */
    start(): void {
      if (pollMs > everyMs)
        timer = setInterval(() => {
          for (const network of networks()) ask(network).catch(failing);
        }, everyMs);
    },
    stop(): void {
      if (timer !== null) clearInterval(timer);
    },
  };
}
