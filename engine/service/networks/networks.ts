import { isEvm, type EvmNetwork, type Network } from '../../domain/chain.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import { noSats } from '../../domain/money.ts';
import type { Seconds } from '../../domain/time.ts';
import type { ClockLimits, EvmClockLimits } from '../../legs/clock-limits.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { OnchainRecovery } from '../onchain-recovery.ts';
import { createArkadeReader } from './arkade.ts';
import { createBitcoinReader } from './bitcoin.ts';
import { createEvmReader, noAccountRules, type EvmAccountRulesOf, type EvmReader } from './evm.ts';
import { createLightningReader } from './lightning.ts';
import type { Needed, Reader, Seen } from './reader.ts';

/**
 * What the connected networks said last: read in the background so that no request waits for them, and judged at the
 * act itself once more.
 */
export function createNetworks(options: {
  runtime: Runtime;
  stranded: OnchainRecovery;
  everyMs: number;
  limits: () => ClockLimits;
  /** What is set for our account on each EVM chain, and how far the clocks of chains may be apart. */
  accounts?: EvmAccountRulesOf;
  evmLimits: () => EvmClockLimits;
}) {
  const { runtime, stranded, everyMs, limits, accounts = () => noAccountRules, evmLimits } = options;
  const listeners = new Set<(network: Network) => void>();
  let timer: NodeJS.Timeout | null = null;
  let refreshing: Promise<void> | null = null;
  let queued: Promise<void> | null = null;

  const arkade = createArkadeReader({ runtime, tell, stranded });
  const lightning = createLightningReader({ runtime, tell });
  const bitcoin = createBitcoinReader({ runtime, tell, everyMs, limits, lightningHeight: () => lightning.height() });
  /** A line for each network that a direction may need: one that nobody reads does not compile. */
  const readers: Readonly<Record<Exclude<Needed, EvmNetwork>, Reader>> = { arkade, lightning, bitcoin };
  const chains = new Map(
    Object.keys(runtime.ports)
      .filter(isEvm)
      .map((network) => [network, createEvmReader({ runtime, tell, network, rules: accounts, limits: evmLimits })]),
  );
  const readerOf = (network: Needed): Reader =>
    network === 'arkade' || network === 'lightning' || network === 'bitcoin'
      ? readers[network]
      : (chains.get(network) ?? noChain(network));

  function tell(network: Network): void {
    for (const listener of listeners) listener(network);
  }

  const answeredAt = new Map<Network, number>();

  /** The last answer of each wallet, in the time of its own reading. */
  function wallets(): [Network, Seen<unknown>][] {
    return [
      ['arkade', arkade.last()],
      ['lightning', lightning.last()],
      ['bitcoin', bitcoin.wallet()],
      ...[...chains].map(([network, reader]): [Network, Seen<unknown>] => [network, reader.last()]),
    ];
  }

  function hear(): void {
    for (const [network, seen] of wallets()) if (seen.state === 'connected') answeredAt.set(network, seen.readAt);
  }

  /** One that was asked for during another comes after it: it shall see what happened meanwhile. */
  function refresh(how: 'asked' | 'routine' = 'asked'): Promise<void> {
    if (refreshing !== null) {
      queued ??= refreshing.then(() => {
        queued = null;
        return refresh();
      });
      return queued;
    }
    refreshing = Promise.all([...Object.values(readers), ...chains.values()].map((reader) => reader.read(how)))
      .then(() => bitcoin.watch())
      .then(hear)
      .finally(() => {
        refreshing = null;
      });
    return refreshing;
  }

  /**
   * Null when all of them answer, else a refusal that names the one that is missing; only the owner is told how to
   * connect it.
   */
  function missing(needed: readonly Needed[], whoAsks: 'owner' | 'client'): Refusal | null {
    for (const network of needed) {
      const reader = readerOf(network);
      const state = reader.state();
      if (state === 'absent')
        return refuse(
          'unavailable',
          `This direction needs ${reader.endpoint}, and none is connected: ` +
            `${whoAsks === 'owner' ? `set ${reader.setting} in the configuration` : 'GET /swap-pairs lists what can be swapped'}.`,
        );
      if (state === 'away')
        return refuse(
          'unavailable',
          `This direction needs ${reader.endpoint}, and the connected one does not answer now: try again later.`,
        );
    }
    return null;
  }

  return {
    arkade: arkade.last,
    lightning: lightning.last,
    bitcoin: bitcoin.last,
    bitcoinWallet: bitcoin.wallet,
    /** Those that are configured, as they were read last. */
    evm: () => [...chains.values()].flatMap((reader) => reader.seen() ?? []),
    arkadeFree: () => arkade.free(),
    arkadeLockable: (life: Seconds) => arkade.lockable(life),
    outboundFree: () => lightning.outboundFree(),
    inboundFree: () => lightning.inboundFree(),
    bitcoinFree: () => bitcoin.free(),
    /** What the Bitcoin wallet keeps for fees of what is open. */
    feeReserve: () => bitcoin.reserve(),
    /** Sats per virtual byte that a swap pays there now; null while that is not known. */
    bitcoinRate: () => bitcoin.rate(),
    /** Our account on each EVM chain, whether or not it is connected. */
    chains: chains as ReadonlyMap<EvmNetwork, EvmReader>,
    evmFree: (network: EvmNetwork) => chains.get(network)?.free() ?? noSats,
    clocks: bitcoin.clocks,
    missing: (...needed: readonly Needed[]) => missing(needed, 'owner'),
    /** When a wallet last answered; null while it has not since the start. */
    heardAt(network: Network): number | null {
      const seen = wallets().find(([name]) => name === network)?.[1];
      return seen?.state === 'connected' ? seen.readAt : (answeredAt.get(network) ?? null);
    },
    /** Wallets that are connected and do not answer. */
    away: () => wallets().flatMap(([network, { state }]) => (state === 'away' ? [network] : [])),
    /** Null when a new swap may be begun over them: they answer, and nothing speaks against any of them. */
    closed(...needed: readonly Needed[]): Refusal | null {
      const away = missing(needed, 'client');
      if (away !== null) return away;
      for (const network of needed) {
        const closed = readerOf(network).closed();
        if (closed !== null) return closed;
      }
      return null;
    },
    onChange(listener: (network: Network) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    refresh: () => refresh(),
    forget(network: Needed): void {
      readerOf(network).forget();
    },
    start(): void {
      timer = setInterval(() => {
        if (refreshing === null) runtime.background('reading the networks', () => refresh('routine'));
      }, everyMs);
    },
    async stop(): Promise<void> {
      if (timer !== null) clearInterval(timer);
      // A first look at the wallet may take minutes: it ends by itself, unheard.
      await (queued ?? refreshing);
    },
  };
}

/** A chain that nothing is read of. */
function noChain(network: EvmNetwork): Reader {
  return {
    endpoint: `an RPC of chain ${network.slice('evm:'.length)}`,
    setting: 'evm',
    state: () => 'absent',
    closed: () => null,
    read: () => Promise.resolve(),
    forget: () => undefined,
  };
}

export type Networks = ReturnType<typeof createNetworks>;
