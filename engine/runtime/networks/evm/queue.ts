import { isEvm, type EvmNetwork } from '../../../domain/chain.ts';
import { isAbsent } from '../../ports.ts';
import type { QueueOptions } from './look.ts';
import { createLane } from './lane.ts';
import type { Wallets } from '../../wallets.ts';
import { createStandingAllowances } from './standing-allowance.ts';

/**
 * The account's transactions on every EVM chain, whatever became of the swaps that they were signed for: each is sent,
 * sent again, replaced and watched until it is buried. All that it goes by is in the store, so a restart loses nothing.
 */
export function createEvmQueue(options: QueueOptions & Pick<Wallets, 'alone'>) {
  const { store, log, everyMs } = options;
  const lanes = new Map<EvmNetwork, ReturnType<typeof createLane>>();
  const running = new Map<EvmNetwork, Promise<void>>();
  const again = new Set<EvmNetwork>();
  const failing = new Set<EvmNetwork>();
  const standing = createStandingAllowances(options);
  const keeping = new Map<EvmNetwork, Promise<void>>();
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

  async function run(network: EvmNetwork): Promise<void> {
    const onMined = (): void => {
      options.onMined();
      spent(network);
    };
    const lane = lanes.get(network) ?? createLane(network, { ...options, onMined });
    lanes.set(network, lane);
    try {
      await lane.look(() => again.has(network));
      if (failing.delete(network)) log.info({ network }, 'the transactions of the account are sent again');
    } catch (cause) {
      if (!failing.has(network) && !isAbsent(cause))
        log.warn({ network, cause: cause instanceof Error ? cause.message : String(cause) }, 'the account cannot send');
      failing.add(network);
    }
  }

  /** One look at a time at each chain; one that is asked for meanwhile comes after it. */
  function look(network: EvmNetwork): void {
    if (stopped) return;
    if (running.has(network)) {
      again.add(network);
      return;
    }
    const done = run(network).finally(() => {
      running.delete(network);
      if (again.delete(network)) look(network);
    });
    running.set(network, done);
  }

  /** Beside the looks, which never wait for it: what is signed already is sent whatever an approval waits for. */
  function keepAhead(network: EvmNetwork): void {
    if (stopped || keeping.has(network)) return;
    const done = standing
      .keep(network)
      .then((isSigned) => {
        if (isSigned) look(network);
      })
      .catch((cause: unknown) => log.error({ network, cause: String(cause) }, 'nothing can be approved ahead'))
      .finally(() => keeping.delete(network));
    keeping.set(network, done);
  }

  /** What is left of an allowance is another now. */
  function spent(network: EvmNetwork): void {
    standing.used(network);
    keepAhead(network);
  }

  function lookAtAll(): void {
    store.nonces.networks().filter(isEvm).forEach(look);
    standing.networks().forEach(keepAhead);
  }

  return {
    /** Something was signed. */
    wake(network: EvmNetwork): void {
      look(network);
      spent(network);
    },
    start(): void {
      timer = setInterval(lookAtAll, everyMs);
      lookAtAll();
    },
    async stop(): Promise<void> {
      stopped = true;
      if (timer !== null) clearInterval(timer);
      await Promise.all([...running.values(), ...keeping.values()]);
    },
  };
}
