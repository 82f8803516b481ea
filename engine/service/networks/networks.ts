import { isEvm, type EvmNetwork, type Network } from '../../domain/chain.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import { noSats } from '../../domain/money.ts';
import type { Seconds } from '../../domain/time.ts';
import type { ClockLimits, EvmClockLimits } from '../../legs/clock-limits.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { OnchainRecovery } from '../exits/onchain-recovery.ts';
import { createArkadeReader } from './arkade.ts';
import { createBitcoinReader } from './bitcoin.ts';
import { createEvmReader, noAccountRules, type EvmAccountRulesOf, type EvmReader } from './evm.ts';
import { createLightningReader } from './lightning.ts';
import type { Needed, Reader, Seen } from './reader.ts';

/** Who reads, and who hears of it. */
interface Reading {
  readonly listeners: Set<(network: Network) => void>;
  refreshing: Promise<void> | null;
  queued: Promise<void> | null;
  readonly arkade: ReturnType<typeof createArkadeReader>;
  readonly lightning: ReturnType<typeof createLightningReader>;
  readonly bitcoin: ReturnType<typeof createBitcoinReader>;
  /** A line for each network that a direction may need: one that nobody reads does not compile. */
  readonly readers: Readonly<Record<Exclude<Needed, EvmNetwork>, Reader>>;
  readonly chains: ReadonlyMap<EvmNetwork, EvmReader>;
  readonly readerOf: (network: Needed) => Reader;
  readonly answeredAt: Map<Network, number>;
}

/**
 * What the connected networks said last: read in the background so that no request waits for them, and judged at the
 * act itself once more.
 */
export function createNetworks(options: {
  runtime: Runtime;
  onchainRecovery: OnchainRecovery;
  everyMs: number;
  limits: () => ClockLimits;
  /** What is set for our account on each EVM chain, and how far the clocks of chains may be apart. */
  accounts?: EvmAccountRulesOf;
  evmLimits: () => EvmClockLimits;
}) {
  const { runtime, onchainRecovery, everyMs, limits, accounts = () => noAccountRules, evmLimits } = options;
  const listeners = new Set<(network: Network) => void>();
  let timer: NodeJS.Timeout | null = null;

  const tell = (network: Network): void => {
    for (const listener of listeners) listener(network);
  };
  const arkade = createArkadeReader({ runtime, tell, onchainRecovery });
  const lightning = createLightningReader({ runtime, tell, rate: () => bitcoin.rate() });
  const bitcoin = createBitcoinReader({
    runtime,
    tell,
    everyMs,
    limits,
    lightningHeight: () => lightning.height(),
  });
  /** A line for each network that a direction may need: one that nobody reads does not compile. */
  const readers: Readonly<Record<Exclude<Needed, EvmNetwork>, Reader>> = { arkade, lightning, bitcoin };
  const chains = new Map(
    Object.keys(runtime.ports)
      .filter(isEvm)
      .map((network) => [
        network,
        createEvmReader({
          runtime,
          tell,
          network,
          rules: accounts,
          limits: evmLimits,
        }),
      ]),
  );
  const readerOf = (network: Needed): Reader =>
    network === 'arkade' || network === 'lightning' || network === 'bitcoin'
      ? readers[network]
      : (chains.get(network) ?? noChain(network));

  const answeredAt = new Map<Network, number>();
  const own: Reading = {
    listeners,
    refreshing: null,
    queued: null,
    arkade,
    lightning,
    bitcoin,
    readers,
    chains,
    readerOf,
    answeredAt,
  };

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
    leastHeld: () => lightning.leastHeld(),
    /** What the Lightning node lacks on the chain, for its owner alone; null where nothing. */
    lacksToClose: () => lightning.reason(),
    bitcoinFree: () => bitcoin.free(),
    /** What the Bitcoin wallet keeps for fees of what is open. */
    feeReserve: () => bitcoin.reserve(),
    /** Sats per virtual byte that a swap pays there now; null while that is not known. */
    bitcoinRate: () => bitcoin.rate(),
    /** Our account on each EVM chain, whether or not it is connected. */
    chains: chains as ReadonlyMap<EvmNetwork, EvmReader>,
    evmFree: (network: EvmNetwork) => chains.get(network)?.free() ?? noSats,
    clocks: bitcoin.clocks,
    missing: (...needed: readonly Needed[]) => missing(own, needed, 'owner'),
    /** When a wallet last answered; null while it has not since the start. */
    heardAt(network: Network): number | null {
      const seen = wallets(own).find(([name]) => name === network)?.[1];
      return seen?.state === 'connected' ? seen.readAt : (answeredAt.get(network) ?? null);
    },
    /** Wallets that are connected and do not answer. */
    away: () => wallets(own).flatMap(([network, { state }]) => (state === 'away' ? [network] : [])),
    /** Null when a new swap may be begun over them: they answer, and nothing speaks against any of them. */
    closed: (...needed: readonly Needed[]) => closed(own, needed),
    onChange(listener: (network: Network) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    refresh: () => refresh(own),
    forget(network: Needed): void {
      readerOf(network).forget();
    },
    start(): void {
      timer = setInterval(() => {
        if (own.refreshing === null) runtime.background('reading the networks', () => refresh(own, 'routine'));
      }, everyMs);
    },
    async stop(): Promise<void> {
      if (timer !== null) clearInterval(timer);
      // A first look at the wallet may take minutes: it ends by itself, unheard.
      await (own.queued ?? own.refreshing);
    },
  };
}

function closed(own: Reading, needed: readonly Needed[]): Refusal | null {
  const away = missing(own, needed, 'client');
  if (away !== null) return away;
  for (const network of needed) {
    const refused = own.readerOf(network).closed();
    if (refused !== null) return refused;
  }
  return null;
}

/** The last answer of each wallet, in the time of its own reading. */
function wallets({ arkade, lightning, bitcoin, chains }: Reading): [Network, Seen<unknown>][] {
  return [
    ['arkade', arkade.last()],
    ['lightning', lightning.last()],
    ['bitcoin', bitcoin.wallet()],
    ...[...chains].map(([network, reader]): [Network, Seen<unknown>] => [network, reader.last()]),
  ];
}

function hear(own: Reading): void {
  const { answeredAt } = own;
  for (const [network, seen] of wallets(own)) if (seen.state === 'connected') answeredAt.set(network, seen.readAt);
}

/** One that was asked for during another comes after it: it shall see what happened meanwhile. */
function refresh(own: Reading, how: 'asked' | 'routine' = 'asked'): Promise<void> {
  const { bitcoin, readers, chains } = own;
  if (own.refreshing !== null) {
    own.queued ??= own.refreshing.then(() => {
      own.queued = null;
      return refresh(own);
    });
    return own.queued;
  }
  own.refreshing = Promise.all([...Object.values(readers), ...chains.values()].map((reader) => reader.read(how)))
    .then(() => bitcoin.watch())
    .then(() => hear(own))
    .finally(() => {
      own.refreshing = null;
    });
  return own.refreshing;
}

/**
 * Null when all of them answer, else a refusal that names the one that is missing; only the owner is told how to
 * connect it.
 */
function missing({ readerOf }: Reading, needed: readonly Needed[], whoAsks: 'owner' | 'client'): Refusal | null {
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
