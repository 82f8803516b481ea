import { decodeInvoice } from './adapters/lnd/decode.ts';
import { bakeCommand } from './adapters/lnd/permissions.ts';
import { lnurlResolver } from './adapters/lnurl/resolver.ts';
import { postToStranger } from './adapters/webhook/post.ts';
import type { Service } from './api/service.ts';
import { createBoltzDoor } from './boltz/door.ts';
import type { Post } from './boltz/postbox.ts';
import { postAlerts } from './connections/alerts.ts';
import { isRefusal, type Refusal } from './domain/errors.ts';
import { readFiat } from './connections/fiat.ts';
import type { NodeBase } from './node-base.ts';
import type { NodeMarks } from './node-marks.ts';
import type { NodePorts } from './node-ports.ts';
import type { NodeRuntime } from './node-runtime.ts';
import { askOwnDoctor, tryChange, type DoctorOfNode } from './own-doctor.ts';
import { lookAtKeeping } from './own-keeping.ts';
import type { LogLines } from './runtime/log-lines.ts';
import { checklistOf } from './service/checklist/checklist.ts';
import { servingOwner, type ServiceContext } from './service/context.ts';
import { directions } from './service/directions/directions.ts';
import { createLooseLocks } from './service/limits/loose-locks.ts';
import { createLive } from './service/limits/live.ts';
import { withdraw } from './service/owner/wallets.ts';
import { isWell } from './service/readiness.ts';
import { createSandboxProxy, type SandboxLink } from './service/sandbox.ts';
import { createOffers, createService } from './service/service.ts';
import { createSpreads } from './service/price/spreads.ts';
import { createTaker } from './service/taker/taker.ts';
import { suspected } from './store/restored.ts';
import { version } from './version.ts';

interface Layers {
  readonly base: NodeBase;
  readonly outer: NodePorts;
  readonly running: NodeRuntime;
  readonly marks: NodeMarks;
}

/** The operations over the runtime, for clients and for the owner. */
export function openServices(
  layers: Layers,
  {
    link,
    onReset,
    logs,
  }: { readonly link: SandboxLink | null; readonly onReset: () => Promise<Refusal | null>; readonly logs: LogLines },
) {
  const { base, outer, running, marks } = layers;
  const { settings, providers, connections } = outer;
  const { upkeep } = running;
  const payees = payeesOf(base);
  const context = contextOf(layers, payees);
  const taker = takerOf(layers, context, payees);
  running.unpaid.start();
  const ofNode: DoctorOfNode = {
    options: base.options,
    settings,
    sealer: base.sealer,
    evmAccount: base.evmAccount,
    ports: connections.ports,
    onchainRecovery: upkeep.onchainRecovery,
    context,
    wall: base.clock.wall,
    unguarded: marks.unguarded,
  };
  const doctor = () => askOwnDoctor(ofNode);
  const service: Service = createService(context, {
    version: version.tag,
    commit: version.commit,
    started: base.started,
    unguarded: marks.unguarded,
    settings,
    logs,
    doctor,
    tryChange: (patch) => tryChange(ofNode, patch),
    checklist: () =>
      checklistOf(servingOwner(context), {
        doctor,
        keeping: async () =>
          lookAtKeeping({
            inTurn: marks.inTurn,
            config: settings.config,
            dataDir: base.options.dataDir,
            sandbox: base.options.sandbox !== null,
            trouble: running.bundleTrouble(),
          }),
        bakeCommand,
        setsTerms: () => settings.sets('terms'),
      }),
    taker,
    testAlerts: () => alerts.test(),
    readFiat,
    sandbox:
      link === null
        ? null
        : createSandboxProxy(link, {
            onReset,
            onDone: async () => {
              await base.sandboxClock?.read();
              await upkeep.lookAgain();
            },
          }),
  });
  providers.serve({ ...service, ...createOffers(servingOwner(context)) });
  const alerts = postAlerts({
    onEvent: (listener) => service.owner.onEvent(listener),
    settings: () => settings.config.alerts,
    isWell: () => isWell(context),
    wall: base.clock.wall,
    log: base.log,
  });
  settings.onChange(() => alerts.apply());
  return { service, taker, alerts, live: context.live, boltz: createBoltzDoor(context, service, postOut) };
}

/** To places of strangers: none of them is on this machine or in its network. */
const postOut: Post = (url, json, signal) => postToStranger(url, json, { mayAsk: () => false, signal });

type Payees = ReturnType<typeof payeesOf>;

/** The outside wallet of the sandbox, and nothing else of this machine; real networks name none. */
function payeesOf({ options }: NodeBase) {
  const payee = options.sandbox?.endpoints.payee?.url;
  return lnurlResolver({
    decode: decodeInvoice,
    ...(payee === undefined ? {} : { mayAsk: (origin: string) => origin === payee }),
  });
}

function contextOf({ base, outer, running }: Layers, resolver: Payees): ServiceContext {
  const { settings } = outer;
  const { runtime, markets, unpaid, upkeep } = running;
  return {
    runtime,
    directions,
    networks: upkeep.networks,
    markets,
    unpaid,
    spreads: createSpreads(runtime),
    renewal: upkeep.renewal,
    unilateralExits: upkeep.unilateralExits,
    books: upkeep.books,
    loose: looseOf(base, outer, running),
    get config() {
      return settings.config;
    },
    get policy() {
      return settings.policy;
    },
    signer: base.keys.signer,
    resolver,
    decodeInvoice,
    highWater: base.folder.highWater,
    live: createLive({
      store: base.store,
      sandbox: base.options.sandbox !== null,
      setting: () => settings.config.live,
    }),
    forOwner: false,
  };
}

function looseOf({ log }: NodeBase, { settings }: NodePorts, { runtime }: NodeRuntime) {
  return createLooseLocks({
    runtime,
    setting: () => settings.config.boltz.toArkade,
    onSetting: (listener) => void settings.onChange(listener),
    turnOff: async () => {
      const answer = await settings.change({ boltz: { toArkade: { enabled: false } } });
      if (isRefusal(answer)) log.warn({ why: answer.sentence }, 'boltz.toArkade.enabled stays set');
    },
    log,
  });
}

function takerOf({ base, outer, running, marks }: Layers, context: ServiceContext, payees: Payees) {
  const { settings } = outer;
  return createTaker({
    runtime: running.runtime,
    networks: running.upkeep.networks,
    get config() {
      return settings.config;
    },
    get policy() {
      return settings.policy;
    },
    decodeInvoice,
    keys: base.keys,
    providers: outer.providers.reach,
    highWater: base.folder.takerHighWater,
    onUsedElsewhere: (by) => marks.doubt(suspected(base.store.counters, by)),
    withdraw: (network, request, as) => withdraw(context, network, request, as),
    payees,
    coinPrice: (network) => context.markets.coinPrice(network),
  });
}
