import { decodeInvoice } from './adapters/lnd/decode.ts';
import { bitcoinWallet } from './adapters/bitcoin/wallet.ts';
import { createKeys } from './adapters/keys/keys.ts';
import { lnurlResolver } from './adapters/lnurl/resolver.ts';
import { patientFetch } from './adapters/provider/fetch.ts';
import { createWebhook } from './adapters/webhook/webhook.ts';
import { createDispatch } from './api/dispatch.ts';
import type { Service } from './api/service.ts';
import { createConnections } from './connections/connections.ts';
import { createIdentities } from './connections/identities.ts';
import { createWalletMemory } from './connections/wallet-memory.ts';
import { createSettings, type LiveSettings } from './connections/settings.ts';
import { runDoctor } from './doctor.ts';
import { disagreementOf } from './runtime/ports.ts';
import { toHex } from './domain/hex.ts';
import { furthest, seconds, unix, type Unix } from './domain/time.ts';
import { plausibleWall } from './legs/clock-limits.ts';
import { createWakefulness } from './runtime/wakefulness.ts';
import { createRuntime } from './runtime/runtime.ts';
import type { EngineOptions } from './index.ts';
import { createClient, httpTransport, localTransport } from './contract/client.ts';
import { directions } from './service/directions/directions.ts';
import { machinesOf } from './service/machines.ts';
import type { ServiceContext } from './service/context.ts';
import { createNetworks } from './service/networks/networks.ts';
import { clockLimitsOf } from './config/policy.ts';
import { createReconciliation } from './service/reconciliation.ts';
import { createReduction } from './service/reduction.ts';
import { createRenewal } from './service/renewal.ts';
import { createStranded } from './service/stranded.ts';
import {
  createSandboxClock,
  createSandboxProxy,
  fundArkadeWallet,
  fundBitcoinWallet,
  type SandboxClock,
  type SandboxLink,
} from './service/sandbox.ts';
import { createService } from './service/service.ts';
import { createTaker } from './service/taker.ts';
import { forgetCopy } from './store/backup.ts';
import { createHighWater } from './store/high-water.ts';
import { intentsCounter } from './store/intents.ts';
import { bindNetwork, bindSeed, forgetDatabase, openDatabase } from './store/open.ts';
import { restoredFrom } from './store/restored.ts';
import { createSealer } from './store/sealer.ts';
import { createStore } from './store/store.ts';
import { createProvider } from './taker/provider.ts';
import type { Providers } from './taker/port.ts';
import { version } from './version.ts';

/** Everything in `swaps` is run by this build's machines. */
const machines = machinesOf(decodeInvoice);

const everyMs = {
  /** Watches are told of changes; the poll finds what they missed. */
  poll: 10_000,
  tip: 15_000,
  networks: 5_000,
  evm: 30_000,
  renewal: 600_000,
  reduction: 10_000,
  reconciliation: 15_000,
  sandboxClock: 2_000,
};

/** The sandbox mines on request, and its user waits for every second. */
const sandboxMs = { ...everyMs, poll: 5_000, tip: 2_000, networks: 2_000, reconciliation: 2_000 };

function machineClock(): Unix {
  return unix(Math.floor(Date.now() / 1_000));
}

/** The running node behind the listener: database, networks, runtime and the operations over them. */
export interface Node {
  readonly service: Service;
  readonly settings: LiveSettings;
  stop(options?: { andForget: boolean }): Promise<void>;
}

export async function startNode(
  options: EngineOptions,
  link: SandboxLink | null,
  onReset: () => Promise<void>,
): Promise<Node> {
  const { log } = options;
  const { network } = options.config;
  const started = machineClock();
  const intervals = options.sandbox === null ? everyMs : sandboxMs;
  let sandboxClock: SandboxClock | null = null;
  const wall = (): Unix => sandboxClock?.wall() ?? machineClock();

  const keys = createKeys(options.seed, network);
  const db = openDatabase(options.dataDir);
  bindNetwork(db, network);
  bindSeed(db, keys.sealingKey('store'), toHex(keys.sealingKey('fingerprint')));
  // Without it an older database may go unnoticed; no swap and no payment must fail for that.
  const onLost = (cause: unknown): void =>
    log.warn(
      { cause: String(cause) },
      'a mark beside the database could not be written: an older one in its place may go unnoticed until the next',
    );
  const intentMark = createHighWater(options.dataDir, 'intents', undefined, onLost);
  const store = createStore(db, createSealer(keys.sealingKey('store')), (index) => intentMark.used(index));
  const sealer = createSealer(keys.sealingKey('credentials'));
  const highWater = createHighWater(options.dataDir, undefined, undefined, onLost);
  const likelyNow = (): Unix => plausibleWall(runtime.clock.now(), clockLimitsOf(settings.config));
  const connections = createConnections({
    sandbox: options.sandbox?.endpoints ?? null,
    network,
    keys: keys.privateKey,
    sealer,
    wall,
    plausibleWall: likelyNow,
    mtp: () => furthest(runtime.clock.now().bitcoin).mtp,
    identities: createIdentities(store),
    walletMemory: createWalletMemory(store),
    evmEveryMs: intervals.evm,
    onReplaced: (network) => networks.forget(network),
    log,
  });
  const settings = createSettings({ start: options.config, source: options.settings, sealer, connections });
  // Our own swaps with this very node take the way of every other client, without the network in between.
  const ownNode = localTransport(createDispatch({ service: () => service, openapi: null, log }));
  const providers: Providers = (url) =>
    createProvider(createClient(url === '' ? ownNode : httpTransport(url, patientFetch)), keys.userXpub);
  const wallet = bitcoinWallet({
    bitcoin: connections.ports.bitcoin,
    network,
    keys: keys.privateKey,
    indexes: {
      taken: (branch) => store.counters.peek(branch),
      take: (branch, floor) => store.counters.take(branch, floor),
    },
  });
  const runtime = createRuntime({
    store,
    machines,
    ports: { ...connections.ports, bitcoinWallet: wallet, providers },
    wall,
    log,
    pollMs: intervals.poll,
    tipMs: intervals.tip,
    ceilings: () => settings.config.ceilings,
  });
  const stranded = createStranded({ runtime, log });
  const networks = createNetworks({
    runtime,
    stranded,
    everyMs: intervals.networks,
    limits: () => clockLimitsOf(settings.config),
    evm: connections.evm.seen,
  });
  const renewal = createRenewal({
    runtime,
    now: likelyNow,
    ceilings: () => settings.config.ceilings,
    preconfirmedFor: () => seconds(60 * (settings.config.arkade?.renewPreconfirmedAfterMinutes ?? 180)),
    everyMs: intervals.renewal,
    log,
    onRenewed: () => runtime.background('reading the networks', () => networks.refresh()),
  });

  async function lookAgain(): Promise<void> {
    await runtime.wake();
    await networks.refresh();
  }

  const wakefulness = createWakefulness({ guard: runtime.guard, log, lookAgain });

  if (link !== null) {
    sandboxClock = createSandboxClock(link, {
      everyMs: intervals.sandboxClock,
      log,
      onMoved: async () => {
        await lookAgain();
        runtime.background('renewing wallet coins', () => renewal.check());
      },
    });
    await sandboxClock.read();
  }

  const reconciliation = createReconciliation({ runtime, everyMs: intervals.reconciliation, log });
  const reduction = createReduction({ runtime, everyMs: intervals.reduction, log });
  const restored = restoredFrom(
    db,
    store.counters.peek('swap'),
    highWater,
    intentMark.ahead(store.counters.peek(intentsCounter)),
  );
  if (restored !== null) {
    reconciliation.begin(restored, highWater);
    forgetCopy(db);
  }

  // The outside wallet of the sandbox, and nothing else of this machine; real networks name none.
  const payee = options.sandbox?.endpoints.payee?.url;
  const context: ServiceContext = {
    runtime,
    directions,
    networks,
    renewal,
    get config() {
      return settings.config;
    },
    get policy() {
      return settings.policy;
    },
    signer: keys.signer,
    resolver: lnurlResolver({
      decode: decodeInvoice,
      ...(payee === undefined ? {} : { mayAsk: (origin: string) => origin === payee }),
    }),
    decodeInvoice,
    highWater,
  };
  const taker = createTaker({
    runtime,
    networks,
    get config() {
      return settings.config;
    },
    get policy() {
      return settings.policy;
    },
    decodeInvoice,
    keys,
    providers,
    highWater: createHighWater(options.dataDir, 'taker-high-water', 1),
  });
  const service: Service = createService(context, {
    version: version.tag,
    commit: version.commit,
    started,
    settings,
    doctor: () =>
      runDoctor({
        config: settings.config,
        dataDir: options.dataDir,
        sealer,
        sandbox: options.sandbox?.endpoints ?? null,
        node: {
          coins: {
            atOperator: async () => connections.ports.arkade.walletCoins(),
            onChain: stranded.summary,
          },
          disagreement: () => disagreementOf(connections.ports),
        },
        wall,
      }),
    taker,
    sandbox:
      link === null
        ? null
        : createSandboxProxy(link, {
            onReset,
            onDone: async () => {
              await sandboxClock?.read();
              await lookAgain();
            },
          }),
  });

  const webhook = createWebhook({
    url: () => settings.config.alerts.webhookUrl,
    onLost: (reason) => log.warn({ reason }, 'an alert did not reach alerts.webhookUrl'),
  });
  service.owner.onEvent((event) => {
    if (event.type !== 'alert') return;
    const { time, severity, sentence, swap_id: swap, count } = event;
    webhook.send({
      time,
      severity,
      sentence,
      ...(swap === undefined ? {} : { swap_id: swap }),
      ...(count === undefined ? {} : { count }),
    });
  });

  await connections.use(options.config);
  if (link !== null) {
    await fundOnce(store, 'sandbox-funded', async () =>
      fundArkadeWallet(link, (await connections.ports.arkade.address()).address),
    );
    await fundOnce(store, 'sandbox-funded-bitcoin', async () => fundBitcoinWallet(link, await wallet.address()));
  }
  await networks.refresh();
  await runtime.start();
  networks.start();
  renewal.start();
  reconciliation.start();
  reduction.start();
  sandboxClock?.start();
  wakefulness.start();
  runtime.background('renewing wallet coins', () => renewal.check());
  // A ceiling that the owner raised is a decision about coins that wait for it.
  settings.onChange(() => runtime.background('renewing wallet coins', () => renewal.check()));

  return {
    service,
    settings,
    async stop({ andForget } = { andForget: false }) {
      wakefulness.stop();
      sandboxClock?.stop();
      await reduction.stop();
      await reconciliation.stop();
      await renewal.stop();
      await networks.stop();
      await runtime.stop();
      await webhook.stop();
      await connections.stop();
      store.close();
      if (andForget) forgetDatabase(options.dataDir);
    },
  };
}

/** A fresh sandbox node gets the coins of a wallet once; a restart finds what is left of them. */
async function fundOnce(
  store: ReturnType<typeof createStore>,
  mark: 'sandbox-funded' | 'sandbox-funded-bitcoin',
  fund: () => Promise<void>,
): Promise<void> {
  if (store.settings.get<boolean>(mark) === true) return;
  await fund();
  store.settings.put(mark, true);
}
