import { seconds } from '../../engine/domain/time.ts';
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createArkade } from '../../engine/adapters/arkade/arkade.ts';
import { bitcoinWallet } from '../../engine/adapters/bitcoin/wallet.ts';
import { takerAccounts } from '../../engine/adapters/keys/taker-accounts.ts';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import { createDispatch } from '../../engine/api/dispatch.ts';
import { bitcoinIndexes } from '../../engine/connections/bitcoin-indexes.ts';
import { createSettings } from '../../engine/connections/settings.ts';
import { createWalletMemory } from '../../engine/connections/wallet-memory.ts';
import type { Service, TakerService } from '../../engine/api/service.ts';
import { readConfig, type Config } from '../../engine/config.ts';
import { createClient, localTransport } from '../../engine/contract/client.ts';
import { isRefusal, refuse, type Refusal } from '../../engine/domain/errors.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { furthest, unix } from '../../engine/domain/time.ts';
import type { InvoiceResolver, PayeeReader } from '../../engine/quote/ports.ts';
import { plausibleWall } from '../../engine/legs/clock-limits.ts';
import type { BitcoinPort } from '../../engine/legs/onchain/port.ts';
import type { BitcoinWalletPort } from '../../engine/legs/onchain/wallet-port.ts';
import type { ArkadePort } from '../../engine/legs/arkade/port.ts';
import type { EvmPort } from '../../engine/legs/evm/port.ts';
import type { Log } from '../../engine/runtime/log.ts';
import { createLogLines } from '../../engine/runtime/log-lines.ts';
import { evmOf, type Ports } from '../../engine/runtime/ports.ts';
import { createCore } from '../../engine/runtime/core.ts';
import { createRuntime, type Runtime } from '../../engine/runtime/runtime.ts';
import { arkProviderOf, indexerProviderOf } from './sandbox-ports/arkade-providers.ts';
import { createBitcoinPort } from './sandbox-ports/bitcoin.ts';
import { createLightningPort } from './sandbox-ports/lightning.ts';
import { directions } from '../../engine/service/directions/directions.ts';
import { machinesOf } from '../../engine/service/machines.ts';
import { createMarkets } from '../../engine/service/market/markets.ts';
import { createMarketSettings } from '../../engine/connections/markets.ts';
import { evmAccountRules, evmRules } from '../../engine/service/evm/rules.ts';
import { createNetworks, type Networks } from '../../engine/service/networks/networks.ts';
import { clockLimitsOf, evmClockLimitsOf, policyOf } from '../../engine/config/policy.ts';
import { bundleName, createKeeper } from '../../engine/rescue/keep.ts';
import { createBooks, type Books } from '../../engine/service/books/books.ts';
import { createReconciliation } from '../../engine/service/reconciliation/reconciliation.ts';
import { createRenewal, type Renewal } from '../../engine/service/wallet/renewal.ts';
import { depthOfMuch } from '../../engine/service/limits/funding-confirmations.ts';
import { lockWaitsFor, type UnsavedContext } from '../../engine/service/limits/unsaved.ts';
import { createSpreads } from '../../engine/service/price/spreads.ts';
import { createUnpaid } from '../../engine/service/evm/unpaid.ts';
import { createExits } from '../../engine/service/exits/exits.ts';
import { createUnilateralExits, type UnilateralExits } from '../../engine/service/exits/unilateral.ts';
import { createOnchainRecovery } from '../../engine/service/exits/onchain-recovery.ts';
import { createService } from '../../engine/service/service.ts';
import type { ServiceContext } from '../../engine/service/context.ts';
import { withdraw } from '../../engine/service/owner/wallets.ts';
import { createTaker } from '../../engine/service/taker/taker.ts';
import { createHighWater } from '../../engine/store/high-water.ts';
import { bindNetwork, bindSeed, openDatabase } from '../../engine/store/open.ts';
import { suspected } from '../../engine/store/restored.ts';
import { createSealer } from '../../engine/store/sealer.ts';
import { seedMadeHere, takerMarks } from '../../engine/store/seed-marks.ts';
import { createPartialNotes } from '../../engine/store/partial-notes.ts';
import { createStore, type Store } from '../../engine/store/store.ts';
import { countGiven } from '../../engine/service/htlc/cosign.ts';
import type { ProviderPort } from '../../engine/taker/port.ts';
import { createProvider } from '../../engine/taker/provider.ts';
import type { EvmWorld } from './evm/world.ts';
import { leashed, type Boundary } from './leash.ts';
import { liveNodes } from './live-nodes.ts';
import { evmNetworkOfWorld, evmPortOn, fundEvmAccount, withEvmWorld } from './node-evm.ts';
import type { World } from './world.ts';

/**
 * A whole node in this process, on networks that outlive it:
 *
 *     const world = startWorld();
 *     const folder = mkdtempSync(join(tmpdir(), 'sluice-'));
 *     let node = await startNodeOn(world, folder);
 *     ...
 *     await node.kill();                        // no clean stop: as if the process had been killed here
 *     node = await startNodeOn(world, folder);  // finds what was on the disk at that moment
 *
 * `kill` may be called anywhere, also inside a boundary hook and so in the middle of a commit: from that call on
 * nothing that the old life does reaches the networks or the disk of the next life.
 */
export interface TestNode {
  readonly service: Service;
  /** Swaps in which this node is the client. */
  readonly taker: TakerService;
  /** This node as another one's taker sees it, over the same calls as HTTP makes. */
  asProvider(userXpub: string): ProviderPort;
  readonly runtime: Runtime;
  readonly store: Store;
  readonly networks: Networks;
  readonly ports: Ports;
  readonly config: Config;
  readonly renewal: Pick<Renewal, 'check' | 'waiting'>;
  /** What is saved of the ways to the chain, and when they are taken: both look when they are told to. */
  readonly exits: ReturnType<typeof createExits>;
  readonly unilateralExits: UnilateralExits;
  /** Its books, which look at the wallets when they are told to. */
  readonly books: Books;
  /** Lines of the log, as JSON text. */
  readonly logged: readonly string[];
  /** The folder and the file that hold the database of this life. */
  readonly folder: string;
  readonly databaseFile: string;
  /** The folder of the next life; there once this one was killed. */
  readonly nextFolder: string;
  /** The internal state of a swap. */
  at(id: string): string;
  status(id: string): string;
  /** Resolves with the state once it is one of these; rejects with what the swap went through when it never is. */
  until(id: string, ...states: string[]): Promise<string>;
  /** Dies at once; the promise is only for the timers of the old life to be gone. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface NodeOptions {
  /** Told of every moment at which a process could die; may call `kill` of the node it is given to. */
  readonly onBoundary?: Boundary;
  /** Overrides of the configuration, as in a configuration file. */
  readonly config?: Record<string, unknown>;
  readonly pollMs?: number;
  /** Its seed was not made in this folder. */
  readonly wordsFromElsewhere?: true;
  /** Which seed; nodes with another one are other nodes. */
  readonly seed?: number;
  /** Where this node's taker swaps; with itself when left out. */
  readonly provider?: (userXpub: string, url: string) => ProviderPort;
  /**
   * Gives the node a Bitcoin wallet, empty at first. Others have none: every look at it would be one more moment to die
   * at.
   */
  readonly bitcoinWallet?: true;
  /** Instead of the world's own chain, straight: sources over it, some of which may lie. */
  readonly bitcoin?: BitcoinPort;
  /** A chain of tokens; none when left out. */
  readonly evm?: EvmWorld;
  /** Networks to leave unconnected. */
  readonly without?: readonly (keyof Ports)[];
  /** Coins of the node's Arkade wallet at its first start. */
  readonly coins?: { readonly count: number; readonly sats: bigint };
  readonly untilMs?: number;
  /** Seconds by which the machine's own clock is wrong, asked at every look at it. */
  readonly skew?: () => number;
  /** `arkade.maxUnsavedSats` of an operator that is configured; none is when left out, as in a sandbox. */
  readonly maxUnsavedSats?: number;
  /** Keeps the rescue bundle beside its database. */
  readonly bundle?: true;
  /** Its database was noticed to be older than what happened. */
  readonly restored?: true;
  /** Called once everything is there and nothing runs yet. */
  readonly beforeStart?: (runtime: Runtime) => Promise<void>;
  /** Answers for Lightning addresses and LNURLs; nobody does when left out. */
  readonly resolver?: InvoiceResolver;
  /** The same for what the node pays as a client. */
  readonly payees?: PayeeReader;
}

export const machines = machinesOf(decodeInvoice);

/** What a node remembers of one life; a killed one leaves the next its copy. */
function lifeOf(folder: string): number {
  mkdirSync(folder, { recursive: true });
  const lives = readdirSync(folder).flatMap((name) => (name.startsWith('life-') ? [Number(name.slice(5))] : []));
  return lives.length === 0 ? 1 : Math.max(...lives);
}

function folderOf(folder: string, life: number): string {
  return join(folder, `life-${life}`);
}

/** Places that could be paid are no part of this world. */
async function nobody(): Promise<Refusal> {
  return refuse('unavailable', 'There are no Lightning addresses in this world.');
}

export function testConfig(overrides: Record<string, unknown> = {}): Config {
  const config = readConfig({
    flags: { sandbox: true },
    environment: {},
    file: { name: 'test', content: overrides },
    stored: null,
  });
  if (isRefusal(config)) throw new Error(config.sentence);
  return config;
}

function withOperator(config: Config, maxUnsavedSats: number | undefined): Config {
  if (maxUnsavedSats === undefined) return config;
  const url = 'http://127.0.0.1:1';
  return { ...config, arkade: { url, maxExposureSats: 0, maxUnsavedSats, renewPreconfirmedAfterMinutes: 180 } };
}

export function seedOf(number: number): Uint8Array {
  return new Uint8Array(64).fill(number);
}

export async function startNodeOn(world: World, folder: string, options: NodeOptions = {}): Promise<TestNode> {
  const config = withOperator(withEvmWorld(testConfig(options.config), options.evm), options.maxUnsavedSats);
  const life = { over: false };
  const number = lifeOf(folder);
  const dataDir = folderOf(folder, number);
  const nextFolder = folderOf(folder, number + 1);
  mkdirSync(dataDir, { recursive: true });
  const boundary: Boundary = options.onBoundary ?? (() => undefined);
  const wall = () => unix(world.now() + (options.skew?.() ?? 0));
  const logged: string[] = [];
  const write = (facts: object, text: string): void =>
    void (life.over || logged.push(JSON.stringify({ ...facts, text })));
  const log: Log = { info: write, warn: write, error: write };

  const keys = createKeys(seedOf(options.seed ?? 1), config.network);
  if (number === 1 && options.wordsFromElsewhere !== true) seedMadeHere(dataDir);
  const db = openDatabase(dataDir);
  bindNetwork(db, config.network);
  const likelyNow = () => plausibleWall(core.clock.now(), clockLimitsOf(config));
  bindSeed(db, toHex(keys.sealingKey('fingerprint')));
  const store = withBoundary(
    createStore(db, createSealer(keys.sealingKey('store')), createHighWater(dataDir, 'intents').used, {
      partials: createPartialNotes({
        path: join(dataDir, 'partials'),
        sealer: createSealer(keys.sealingKey('partials')),
      }),
    }),
    life,
    boundary,
  );
  const memory = createWalletMemory(store);
  const keeper =
    options.bundle === true
      ? createKeeper({
          store,
          walletTerms: () => memory.terms() ?? [],
          network: config.network,
          keys: keys.sealingKey,
          folder: dataDir,
          copyTo: () => config.rescue.copyTo,
          wall,
          onState: (sentence) => void (sentence !== null && logged.push(sentence)),
          onDamage: (sentence) => void logged.push(sentence),
        })
      : null;
  const evmAt = { key: keys.privateKey({ branch: 'evm-account' }), life, boundary, wall };
  const ports = portsOf(world, {
    evm: options.evm === undefined ? {} : { [evmNetworkOfWorld]: evmPortOn(options.evm, evmAt) },
    keys: keys.privateKey,
    memory,
    life,
    boundary,
    wall,
    likelyNow,
    mtp: () => furthest(core.clock.now().bitcoin).mtp,
    without: options.without ?? [],
    chain: options.bitcoin ?? createBitcoinPort(world.bitcoin, undefined, world.estimates),
  });
  const asProvider = (userXpub: string): ProviderPort =>
    createProvider(
      createClient(localTransport(createDispatch({ service: () => (life.over ? null : service), openapi: null, log }))),
      userXpub,
    );
  const providerPorts = new Map<string, ProviderPort>();
  function providers(url: string): ProviderPort {
    const provider =
      providerPorts.get(url) ??
      leashed((options.provider ?? asProvider)(keys.userXpub, url), 'provider', life, boundary, []);
    providerPorts.set(url, provider);
    return provider;
  }
  const wallet =
    options.bitcoinWallet === true && ports.bitcoin !== null
      ? { bitcoinWallet: leashed(walletOn(store, ports.bitcoin, keys.privateKey), 'bitcoinWallet', life, boundary, []) }
      : {};
  const core = createCore({
    store,
    machines,
    ports: {
      ...ports,
      ...wallet,
      providers,
      takerAccounts: takerAccounts(keys),
      exchanges: (chain) => marketSettings(config.evm).get(chain)?.dex ?? null,
    },
    wall,
    log,
    tipMs: 1_000,
  });
  const settings = createSettings({
    start: config,
    source: {
      sources: { flags: { sandbox: true }, environment: {}, file: null },
      stored: () => ({}),
      save: () => undefined,
    },
    sealer: createSealer(keys.sealingKey('credentials')),
    connections: { judge: async () => null, use: async () => undefined },
  });
  const own: UnsavedContext = {
    runtime: core,
    directions,
    get config() {
      return settings.config;
    },
  };
  const unpaid = createUnpaid(own);
  const marketSettings = createMarketSettings(ports, wall);
  const markets = createMarkets({ runtime: core, settings: () => marketSettings(config.evm), everyMs: 3_600_000 });
  const runtime = createRuntime(core, {
    ...(keeper === null ? {} : { bundle: keeper }),
    holdsBack: (effect) => lockWaitsFor(effect, own),
    pollMs: options.pollMs ?? 100,
    ceilings: () => settings.config.ceilings,
    depthOfMuch: () => depthOfMuch(settings.config),
    unpaid,
    evm: (chain) =>
      evmRules(settings.config, chain, {
        price: markets.priceForOpen(chain),
        decimals: markets.on(chain)?.pegged.decimals ?? null,
      }),
  });
  countGiven(runtime);
  const networks = createNetworks({
    runtime,
    onchainRecovery: createOnchainRecovery({ runtime, log }),
    everyMs: 500,
    limits: () => clockLimitsOf(config),
    accounts: (chain) => evmAccountRules(settings.config, chain),
    evmLimits: () => evmClockLimitsOf(config),
  });
  const renewal = createRenewal({
    runtime,
    now: likelyNow,
    ceilings: () => settings.config.ceilings,
    preconfirmedFor: () => seconds(10_800),
    everyMs: 3_600_000,
    log,
    onRenewed: () => void networks.refresh(),
  });
  const exits = createExits({ runtime, onChanged: () => keeper?.exitPathsChanged() });
  const unilateralExits = createUnilateralExits({
    runtime,
    networks: () => networks,
    ceilings: () => settings.config.ceilings,
  });
  const books = createBooks({ runtime, networks: () => networks, everyMs: 3_600_000 });
  const context: ServiceContext = {
    runtime,
    directions,
    networks,
    markets,
    unpaid,
    spreads: createSpreads(runtime),
    renewal,
    unilateralExits,
    books,
    get config() {
      return settings.config;
    },
    policy: policyOf(config),
    signer: keys.signer,
    resolver: options.resolver ?? { resolve: nobody, check: nobody },
    decodeInvoice,
    highWater: createHighWater(dataDir),
    live: () => settings.config.live ?? true,
    forOwner: false,
  };
  const taker = createTaker({
    runtime,
    networks,
    config,
    policy: policyOf(config),
    decodeInvoice,
    keys,
    providers,
    highWater: takerMarks(dataDir),
    withdraw: (network, request, as) => withdraw(context, network, request, as),
    payees: options.payees ?? { resolve: nobody, check: nobody, range: nobody },
    coinPrice: (network) => context.markets.coinPrice(network),
    onUsedElsewhere: (by) =>
      createReconciliation({ runtime, everyMs: 3_600_000, log }).begin(
        suspected(store.counters, by),
        context.highWater,
      ),
  });
  unpaid.start();
  const service: Service = createService(context, {
    version: 'test',
    commit: 'test',
    started: world.now(),
    sandbox: null,
    taker,
    doctor: async () => ({ rows: [] }),
    logs: createLogLines(log, { wall: world.now }),
    settings,
  });

  const offWorld = world.onMoved(async () => {
    await runtime.wake();
    if (!life.over) await networks.refresh();
  });

  async function end(): Promise<void> {
    offWorld();
    await taker.stop();
    await renewal.stop();
    await networks.stop();
    await markets.stop();
    await runtime.stop();
    await keeper?.stop();
    store.close();
    liveNodes.delete(dataDir);
  }

  if (ports.arkade !== null && store.settings.get<boolean>('sandbox-funded') !== true) {
    const { address } = await ports.arkade.address();
    const { count, sats } = options.coins ?? { count: 16, sats: 2_500_000n };
    for (let i = 0; i < count; i++) world.faucet(address, sats);
    if (options.evm !== undefined) await fundEvmAccount(options.evm, evmOf(ports, evmNetworkOfWorld).account());
    store.settings.put('sandbox-funded', true);
  }
  // Once in a life: each reading asks the exchange, and the time of this world stands still.
  if (options.evm !== undefined) await markets.read();
  if (options.restored === true)
    createReconciliation({ runtime, everyMs: 3_600_000, log }).begin(
      { firstIndex: store.counters.peek('swap'), copiedAt: null, firstIntent: null },
      createHighWater(dataDir),
    );
  liveNodes.add(dataDir);
  await options.beforeStart?.(runtime);
  await networks.refresh();
  await runtime.start();
  networks.start();
  taker.askForKeys();

  function at(id: string): string {
    return runtime.workingSet.find(id)?.row.progress.at ?? 'unknown';
  }

  return {
    service,
    taker,
    asProvider,
    runtime,
    store,
    networks,
    ports,
    config,
    renewal,
    exits,
    unilateralExits,
    books,
    logged,
    folder: dataDir,
    databaseFile: join(dataDir, 'sluice.db'),
    nextFolder,
    at,
    status: (id) => store.swaps.statusOf(id) ?? 'unknown',
    async until(id, ...states) {
      const reached = await runtime.settled(id, (state) => states.includes(state), options.untilMs ?? 60_000);
      if (states.includes(reached)) return reached;
      const story = store.journal.of(id).map((line) => `${line.from} -${line.event}-> ${line.to}`);
      throw new Error(
        `the swap is ${reached}, not ${states.join(' or ')}:\n${story.join('\n')}\n${logged.slice(-8).join('\n')}`,
      );
    },
    kill() {
      if (life.over) return Promise.resolve();
      life.over = true;
      mkdirSync(nextFolder, { recursive: true });
      for (const name of ['sluice.db', 'sluice.db-wal', 'taker-high-water', 'partials', bundleName]) {
        const file = join(dataDir, name);
        if (existsSync(file)) copyFileSync(file, join(nextFolder, name));
      }
      // A timer's turn later: the caller may be inside a commit.
      return new Promise((resolve) => setTimeout(resolve, 0)).then(end);
    },
    async stop() {
      if (!life.over) await end();
    },
  };
}

function walletOn(
  store: Store,
  bitcoin: BitcoinPort,
  keys: Parameters<typeof createArkade>[0]['keys'],
): BitcoinWalletPort {
  return bitcoinWallet({ bitcoin, network: 'regtest', keys, indexes: bitcoinIndexes(store) });
}

/** Commits are boundaries as well; what a dead life still saves goes to a disk that nobody reads again. */
function withBoundary(store: Store, life: { readonly over: boolean }, boundary: Boundary): Store {
  return {
    ...store,
    atomically(work) {
      if (!life.over) boundary('commit', 'before');
      const result = store.atomically(work);
      if (!life.over) boundary('commit', 'after');
      return result;
    },
  };
}

function portsOf(
  world: World,
  on: {
    evm: { readonly [evmNetworkOfWorld]?: EvmPort };
    keys: Parameters<typeof createArkade>[0]['keys'];
    memory: ReturnType<typeof createWalletMemory>;
    life: { readonly over: boolean };
    boundary: Boundary;
    wall: World['now'];
    likelyNow: World['now'];
    mtp: () => ReturnType<World['now']> | null;
    without: readonly (keyof Ports)[];
    chain: BitcoinPort;
  },
): Ports {
  const { life, boundary, without } = on;
  const arkade: ArkadePort = createArkade({
    ark: leashed(arkProviderOf(world.operator), 'ark', life, boundary, [
      'getEventStream',
      'getTransactionsStream',
      'onServerInfoChanged',
    ]),
    indexer: leashed(indexerProviderOf(world.operator), 'indexer', life, boundary, ['getSubscription']),
    keys: on.keys,
    clock: { wall: on.likelyNow, mtp: on.mtp },
    network: 'regtest',
    memory: on.memory,
  });
  const plain = ['watch', 'delegateKey'];
  return {
    ...on.evm,
    arkade: without.includes('arkade') ? null : leashed(arkade, 'arkade', life, boundary, plain),
    lightning: without.includes('lightning')
      ? null
      : leashed(
          createLightningPort(world.lightning, { wall: on.wall, bitcoin: world.bitcoin }),
          'lightning',
          life,
          boundary,
          plain,
        ),
    bitcoin: without.includes('bitcoin')
      ? null
      : leashed(on.chain, 'bitcoin', life, boundary, [...plain, 'disagreement']),
  };
}
