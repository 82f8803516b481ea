import type { EvmNetwork } from '../../../domain/chain.ts';
import { toHex } from '../../../domain/hex.ts';
import type { Unix } from '../../../domain/time.ts';
import type { EvmPort, EvmTip } from '../../../legs/evm/port.ts';
import type { NonceRow } from '../../../store/nonces.ts';
import { evmOf } from '../../ports.ts';
import { broadcastAll, type Sendings } from './broadcast.ts';
import { cancel, fillGaps } from './cancel.ts';
import { createMinedWatch } from './mined.ts';
import type { QueueOptions } from './queue.ts';
import { replace, underpriced, waitingFor } from './replace.ts';
import { allVariants, type Variants } from './variants.ts';

/** What one look at a chain goes by. */
export interface Look {
  readonly network: EvmNetwork;
  readonly port: EvmPort;
  readonly tip: EvmTip;
  readonly nonces: { readonly mined: number; readonly pending: number };
  /** By the chain's clock, which is the wall's where it was never read. */
  readonly now: Unix;
  readonly wall: Unix;
}

/** The transactions of the account on one chain, in the order of their nonces. */
export function createLane(network: EvmNetwork, options: QueueOptions) {
  const { ports, store, clock, rules } = options;
  const sendings: Sendings = new Map();
  const mined = createMinedWatch(network, options);
  let gaps: ReadonlySet<number> = new Set();

  /** Never sent, and too late to begin: it is not sent any more. Answers what there is of the others. */
  function dropLate(rows: readonly NonceRow[], { now, wall }: Look): (row: NonceRow) => Variants {
    const variants = allVariants(network, store);
    let dropped = false;
    for (const row of rows) {
      const { begins, latest } = variants(row);
      if (!begins || latest?.state !== 'prepared' || row.deadline === null || now <= row.deadline) continue;
      store.transactions.close(latest.txid, 'dead', wall);
      dropped = true;
    }
    return dropped ? allVariants(network, store) : variants;
  }

  return {
    async look(): Promise<void> {
      if (!store.nonces.isAnyOpen(network)) return;
      const port = evmOf(ports, network);
      const [tip, nonces] = [await port.tip(), await port.nonces()];
      const clocks = clock.now();
      const look: Look = { network, port, tip, nonces, now: clocks[network]?.mtp ?? tip.time, wall: clocks.wall };
      const account = toHex(port.account());
      const own = (): NonceRow[] => store.nonces.open(network).filter((row) => row.account === account);
      await mined.look(own(), look);
      const waiting = own().filter((row) => row.mined === null);
      const variants = dropLate(waiting, look);
      await broadcastAll(
        waiting.map((row) => variants(row).latest).filter((one) => one !== null),
        look,
        { store, sendings },
      );
      const hurried = underpriced(waiting, look, sendings);
      await replace(hurried, look, { store, sendings, rules: rules(network), log: options.log });
      for (const row of waiting)
        if (variants(row).latest === null)
          await cancel(waitingFor(row, waiting), look, { store, rules: rules(network) });
      gaps = fillGaps(waiting, look, { store, before: gaps });
    },
  };
}
