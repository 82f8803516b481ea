import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bitcoinWallet } from './adapters/bitcoin/wallet.ts';
import { takerAccounts } from './adapters/keys/taker-accounts.ts';
import { createKeys } from './adapters/keys/keys.ts';
import { decodeInvoice } from './adapters/lnd/decode.ts';
import { lnurlResolver } from './adapters/lnurl/resolver.ts';
import type { Service } from './api/service.ts';
import { withSandboxChains } from './config/chains.ts';
import { clockLimitsOf, evmClockLimitsOf } from './config/policy.ts';
import { postAlerts } from './connections/alerts.ts';
import { bitcoinIndexes } from './connections/bitcoin-indexes.ts';
import { createConnections } from './connections/connections.ts';
import { createIdentities } from './connections/identities.ts';
import { createMarketSettings } from './connections/markets.ts';
import { createSettings, type LiveSettings } from './connections/settings.ts';
import { accountOf } from './legs/evm/account.ts';
import { createWalletMemory } from './connections/wallet-memory.ts';
import { furthest, seconds, type Unix } from './domain/time.ts';
import type { EngineOptions } from './index.ts';
import { plausibleWall } from './legs/clock-limits.ts';
import { bundleName, createKeeper } from './rescue/keep.ts';
import { intervalsOf } from './intervals.ts';
import { createOutside } from './outside.ts';
import { askOwnDoctor } from './own-doctor.ts';
import { providersOf } from './providers.ts';
import { machineClock } from './machine-clock.ts';
import type { LogLines } from './runtime/log-lines.ts';
import { createRuntime } from './runtime/runtime.ts';
import type { ServiceContext } from './service/context.ts';
import { directions } from './service/directions/directions.ts';
import { machinesOf } from './service/machines.ts';
import {
  createSandboxClock,
  createSandboxProxy,
  fundWallets,
  type SandboxClock,
  type SandboxLink,
} from './service/sandbox.ts';
import { createMarkets } from './service/market/markets.ts';
import { createService } from './service/service.ts';
import { withdraw } from './service/owner/wallets.ts';
import { createTaker } from './service/taker.ts';
import { leaveForgotten, leaveOthers } from './service/taker/used.ts';
import { evmAccountRules, evmRules } from './service/evm-rules.ts';
import { lockWaitsFor } from './service/unsaved.ts';
import { createUnpaid } from './service/unpaid.ts';
import { createUpkeep } from './service/upkeep.ts';
import { openDataFolder } from './store/data-folder.ts';
import { furthestOf, isAhead, type Position } from './store/position.ts';
import { rolledBack, suspected, type Restored } from './store/restored.ts';
import { createSealer } from './store/sealer.ts';
import { version } from './version.ts';

/** Everything in `swaps` is run by this build's machines. */
const machines = machinesOf(decodeInvoice);

/** The running node behind the listener: database, networks, runtime and the operations over them. */
export interface Node {
  readonly service: Service;
  readonly settings: LiveSettings;
  /** Looks at all that is open and at every network, now. */
  lookAgain(): Promise<void>;
  stop(options?: { andForget: boolean }): Promise<void>;
}

export async function startNode(
  options: EngineOptions,
  link: SandboxLink | null,
  onReset: () => Promise<void>,
  logs: LogLines,
): Promise<Node> {
  const { log } = options;
  const config =
    options.sandbox === null ? options.config : withSandboxChains(options.config, options.sandbox.endpoints.evm ?? {});
  const { network } = config;
  const started = machineClock();
  const intervals = intervalsOf(options.sandbox !== null);
  let sandboxClock: SandboxClock | null = null;
  let stopped = false;
  const wall = (): Unix => sandboxClock?.wall() ?? machineClock();

  const keys = createKeys(options.seed, network);
  const folder = openDataFolder({
    path: options.dataDir,
    network,
    sealingKey: keys.sealingKey,
    // Without it an older database may go unnoticed; no swap and no payment must fail for that.
    onLost: (cause) =>
      log.warn(
        { cause: String(cause) },
        'a mark beside the database could not be written: an older one in its place may go unnoticed until the next',
      ),
  });
  const { store, highWater, takerHighWater } = folder;
  const sealer = createSealer(keys.sealingKey('credentials'));
  const evmAccount = accountOf(keys.privateKey({ branch: 'evm-account' }));
  const likelyNow = (): Unix => plausibleWall(runtime.clock.now(), clockLimitsOf(settings.config));
  const walletMemory = createWalletMemory(store);
  const connections = createConnections({
    sandbox: options.sandbox?.endpoints ?? null,
    network,
    keys: keys.privateKey,
    sealer,
    wall,
    plausibleWall: likelyNow,
    mtp: () => furthest(runtime.clock.now().bitcoin).mtp,
    identities: createIdentities(store),
    agreedBefore: (chain) => store.evmLocks.agreed(chain),
    walletMemory,
    onReplaced(network) {
      if (network === 'arkade' || network === 'lightning' || network === 'bitcoin') upkeep.networks.forget(network);
    },
    log,
  });
  const settings = createSettings({ start: config, source: options.settings, sealer, connections });
  const providers = providersOf({ own: () => service, userXpub: keys.userXpub, log });
  const wallet = bitcoinWallet({
    bitcoin: connections.ports.bitcoin,
    network,
    keys: keys.privateKey,
    indexes: bitcoinIndexes(store),
  });
  const keeper = createKeeper({
    store,
    walletTerms: () => walletMemory.terms() ?? [],
    network,
    keys: keys.sealingKey,
    folder: options.dataDir,
    copyTo: () => settings.config.rescue.copyTo,
    wall: machineClock,
    onState(sentence) {
      if (sentence === null) return runtime.guard.lower('rescue');
      runtime.guard.raise('rescue', sentence);
      runtime.alert(null, sentence);
    },
  });
  const unpaid = createUnpaid(() => context);
  const runtime = createRuntime({
    store,
    machines,
    holdsBack: (effect) => lockWaitsFor(effect, context),
    bundle: keeper,
    ports: {
      ...connections.ports,
      bitcoinWallet: wallet,
      providers,
      takerAccounts: takerAccounts(keys),
      exchanges: (chain) => marketSettings(settings.config.evm, settings.config.prices.source).get(chain)?.dex ?? null,
    },
    wall,
    log,
    pollMs: intervals.poll,
    tipMs: intervals.tip,
    ceilings: () => settings.config.ceilings,
    unpaid,
    evm: (chain) =>
      evmRules(settings.config, chain, {
        price: markets.priceForOpen(chain),
        decimals: markets.on(chain)?.pegged.decimals ?? null,
      }),
  });
  const upkeep = createUpkeep({
    runtime,
    everyMs: intervals,
    clockLimits: () => clockLimitsOf(settings.config),
    ceilings: () => settings.config.ceilings,
    preconfirmedFor: () => seconds(60 * (settings.config.arkade?.renewPreconfirmedAfterMinutes ?? 180)),
    consolidates: () => settings.config.bitcoin.consolidate,
    now: likelyNow,
    accounts: (chain) => evmAccountRules(settings.config, chain),
    evmLimits: () => evmClockLimitsOf(settings.config),
    onWaysChanged: () => keeper.waysChanged(),
  });
  const { networks, renewal, stranded, leaving } = upkeep;

  if (link !== null) {
    sandboxClock = createSandboxClock(link, {
      everyMs: intervals.sandboxClock,
      log,
      onMoved: async () => {
        await upkeep.lookAgain();
        upkeep.renewCoins();
      },
    });
    await sandboxClock.readFirst();
  }

  const outside = createOutside({
    position: () => folder.position(),
    key: keys.sealingKey('mark'),
    stateFolder: options.stateFolder,
    copyTo: () => settings.config.rescue.copyTo,
    onAhead: (mark) => doubt(rolledBack(store.counters.peek('swap'), [mark]), mark),
    log,
  });

  /** A sandbox has no place for a mark unless it was given one. */
  function unguarded(): string | null {
    return options.sandbox !== null && options.stateFolder === null ? null : outside.unguarded();
  }

  /** Nothing new is begun from here on before the owner resumes, and no key that may have been used is used again. */
  function doubt(restored: Restored, mark: Position | null = null): void {
    if (mark !== null || restored.by?.is === 'networks')
      leaveForgotten({ store, highWater: takerHighWater }, mark === null || mark.taker === 0 ? null : mark.taker - 1);
    upkeep.reconcile(restored, highWater);
    outside.follow();
  }

  const marks = await outside.read();
  const inTurn = leaveOthers({ store, highWater: takerHighWater }, marks.ofSeed);
  const ahead = marks.own.filter((mark) => isAhead(mark, folder.position()));
  const restored = folder.restored(ahead);
  if (restored !== null) {
    doubt(restored, furthestOf(ahead));
    folder.forgetCopy();
  } else if (inTurn.length > 0) doubt(rolledBack(store.counters.peek('swap'), inTurn));
  runtime.commits.onCommit(() => outside.follow());

  const marketSettings = createMarketSettings(connections.ports, wall);
  const markets = createMarkets({
    runtime,
    settings: () => marketSettings(settings.config.evm, settings.config.prices.source),
    everyMs: intervals.markets,
  });
  // The outside wallet of the sandbox, and nothing else of this machine; real networks name none.
  const payee = options.sandbox?.endpoints.payee?.url;
  const payees = lnurlResolver({
    decode: decodeInvoice,
    ...(payee === undefined ? {} : { mayAsk: (origin: string) => origin === payee }),
  });
  const context: ServiceContext = {
    runtime,
    directions,
    networks,
    markets,
    unpaid,
    renewal,
    leaving,
    get config() {
      return settings.config;
    },
    get policy() {
      return settings.policy;
    },
    signer: keys.signer,
    resolver: payees,
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
    highWater: takerHighWater,
    onUsedElsewhere: (by) => doubt(suspected(store.counters, by)),
    withdraw: (network, request, as) => withdraw(context, network, request, as),
    payees,
    coinPrice: (network) => context.markets.coinPrice(network),
  });
  unpaid.start();
  const service: Service = createService(context, {
    version: version.tag,
    commit: version.commit,
    started,
    unguarded,
    settings,
    logs,
    doctor: () =>
      askOwnDoctor({
        options,
        settings,
        sealer,
        evmAccount,
        ports: connections.ports,
        stranded,
        context,
        wall,
        unguarded,
      }),
    taker,
    sandbox:
      link === null
        ? null
        : createSandboxProxy(link, {
            onReset,
            onDone: async () => {
              await sandboxClock?.read();
              await upkeep.lookAgain();
            },
          }),
  });

  const alerts = postAlerts({
    onEvent: (listener) => service.owner.onEvent(listener),
    url: () => settings.config.alerts.webhookUrl,
    log,
  });

  /** Networks that take long hold nothing back; what they show then is heard of then. */
  async function compare(): Promise<void> {
    const acts = await upkeep.compare();
    if (stopped || acts.length === 0) return;
    // Of a database that was found to be old these are what it forgot.
    if (restored === null)
      doubt(suspected(store.counters, { is: 'networks', shown: acts.map(({ shown }) => shown).join('; ') }));
    for (const act of acts) act.told?.();
  }

  const connected = connections.use(config);
  // The sandbox gives what it gives while we connect.
  const funded =
    link === null
      ? null
      : fundWallets(link, store, {
          arkade: async () => (await connected, (await connections.ports.arkade.address()).address),
          bitcoin: async () => (await connected, wallet.address()),
          evm: { chains: Object.keys(config.evm), account: evmAccount },
        });
  await Promise.all([connected, funded]);
  // What would be sent a second time must not be: nothing runs before the networks were asked what they did meanwhile.
  await inTime(compare(), log);
  // What is owed already waits for no look at the networks that new swaps want.
  await Promise.all([networks.refresh(), runtime.start()]);
  runtime.background('the rescue bundle', () => keeper.flush());
  upkeep.start();
  markets.start();
  sandboxClock?.start();
  upkeep.renewCoins();
  taker.restoreIfNew();
  taker.askForKeys();
  outside.follow();
  const openTo = unguarded();
  if (openTo !== null) log.warn({}, openTo);
  // A ceiling that the owner raised is a decision about coins that wait for it.
  settings.onChange(() => {
    upkeep.renewCoins();
    markets.readSoon();
    taker.restoreIfNew();
  });

  return {
    service,
    settings,
    lookAgain: () => upkeep.lookAgain(),
    async stop({ andForget } = { andForget: false }) {
      stopped = true;
      sandboxClock?.stop();
      await taker.stop();
      await upkeep.stop();
      await markets.stop();
      await runtime.stop();
      await alerts.stop();
      await connections.stop();
      await keeper.stop();
      await outside.stop();
      folder.close();
      if (!andForget) return;
      folder.forget();
      rmSync(join(options.dataDir, bundleName), { force: true });
    },
  };
}

/** How long a start waits for what the networks did meanwhile. */
const comparingMs = 3_000;

async function inTime(comparing: Promise<void>, log: EngineOptions['log']): Promise<void> {
  const safely = comparing.catch((cause: unknown) =>
    log.error({ cause: String(cause) }, 'the networks could not be compared with the database at the start'),
  );
  await Promise.race([safely, sleep(comparingMs, undefined, { ref: false })]);
}
