import type { Deploying, DeploymentReport } from './adapters/evm/deploy.ts';
import type { ServerRules } from './api/admission.ts';
import { createDispatch, type Dispatch } from './api/dispatch.ts';
import { listenForMetrics, type MetricsListener } from './api/metrics-server.ts';
import { listen, type ApiServer } from './api/server.ts';
import type { Config } from './config.ts';
import { addressOf } from './config/operation.ts';
import type { OwnerEvent } from './contract/owner/events.ts';
import { openapi } from './contract/openapi.ts';
import type { RouteName, RawArgs } from './contract/routes.ts';
import { refuse, StartRefused, type Refusal } from './domain/errors.ts';
import { machineClock } from './machine-clock.ts';
import { startNode, type Node } from './node.ts';
import type { NodeOptions } from './node-options.ts';
import { createLogLines } from './runtime/log-lines.ts';
import { createCountedLog, createWrittenLog } from './runtime/written-log.ts';
import type { ClientSide, ClientSideOptions } from './sandbox/client/side.ts';
import type { SandboxEndpoints } from './sandbox/endpoints.ts';
import { renewNetworks, type SandboxLink } from './service/sandbox.ts';
import { version } from './version.ts';

export type { EvmAccount } from './sandbox/client/evm.ts';
export type { JointWish } from './sandbox/client/joint.ts';
export type { ClientSide } from './sandbox/client/side.ts';
export { examine } from './doctor.ts';
export { rescue } from './rescue/rescue.ts';
export { backUpDatabase } from './store/backup.ts';

export interface EngineOptions extends NodeOptions {
  /** The owner's bearer token. */
  readonly token: string;
  readonly sandbox: { readonly endpoints: SandboxEndpoints } | null;
  /** The built page to serve to a browser. */
  readonly ui?: { readonly directory: string };
}

export interface Engine {
  listen(port: number): Promise<{ url: string }>;
  /** A call by the name of its route, with the owner's rights: for hosts in the same process. */
  dispatch(route: string, args: unknown): Promise<unknown>;
  readonly events: { on(listener: (event: OwnerEvent) => void): () => void };
  /** The machine was asleep: all that is open is looked at now, and not when the next timer ends. */
  wake(): Promise<void>;
  stop(): Promise<void>;
}

/** Between tries to start after a reset. */
const againMs = 5_000;

/** Starts the engine over a data folder that the caller has locked. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  let logRules = options.config.log;
  const logs = createLogLines(createWrittenLog(options.log, { rules: () => logRules }), { wall: machineClock });
  const log = createCountedLog(logs.log, machineClock);
  logStart(options);
  const link = options.sandbox === null ? null : await linkSandbox(options.sandbox.endpoints);
  const listeners = new Map<(event: OwnerEvent) => void, () => void>();
  const servers: ApiServer[] = [];
  let node: Node | null = null;
  let again: NodeJS.Timeout | undefined;

  let document: unknown = null;
  const dispatch = createDispatch({
    service: () => node?.service ?? null,
    // Made when somebody wants it: the start does not wait for it.
    get openapi() {
      return (document ??= openapi(version.tag));
    },
    log,
  });
  const forMetrics = await openMetrics(options.config.metrics.listen, dispatch);
  try {
    node = await start(options.config);
  } catch (cause) {
    await forMetrics?.stop();
    throw cause;
  }

  async function start(config: Config): Promise<Node> {
    const started = await startNode({ ...options, config, log }, link, reset, logs);
    started.settings.onChange((changed) => {
      logRules = changed.log;
      for (const server of servers) server.apply(rulesOf(changed));
    });
    return started;
  }

  /**
   * A fresh sandbox behind the same listener: the node leaves, its networks and its database go, a new one starts. The
   * database goes only with networks that say they are fresh: on the old ones another node would give its coins twice.
   */
  async function reset(): Promise<Refusal | null> {
    const leaving = node;
    if (leaving === null || link === null) return refuse('unavailable', 'The node starts or stops: try again.');
    node = null;
    let refused: Refusal | null;
    let runs = false;
    try {
      await leaving.stop();
      refused = await renewNetworks(link);
      if (refused === null) leaving.forget();
    } finally {
      runs = await startAgain(link, leaving.settings.config);
    }
    if (refused !== null || runs) return refused;
    return refuse('unavailable', 'The networks are fresh, and the node did not start: it is tried until it does.');
  }

  /** Until a node runs: without one nobody could ask for another reset. */
  async function startAgain(sandbox: SandboxLink, config: Config): Promise<boolean> {
    try {
      // Networks that are away would hold the start up for longer than whoever asked for it waits.
      await sandbox.state();
      node = await start(config);
    } catch (cause) {
      log.error({ cause: String(cause) }, 'the node did not start after a reset of the sandbox: it is tried again');
      again = setTimeout(() => void startAgain(sandbox, config), againMs);
      return false;
    }
    for (const server of servers) server.attach();
    for (const listener of listeners.keys()) listeners.set(listener, node.service.owner.onEvent(listener));
    return true;
  }

  return {
    async listen(port) {
      const server = await listen({
        dispatch,
        service: () => node?.service ?? null,
        door: () => node?.door() ?? null,
        ownerToken: options.token,
        port,
        log,
        ...rulesOf(node?.settings.config ?? options.config),
        ...(options.ui === undefined ? {} : { ui: options.ui }),
      });
      servers.push(server);
      return { url: server.url };
    },
    dispatch: (route, args) => dispatch(route as RouteName, args as RawArgs),
    events: {
      on(listener) {
        listeners.set(listener, node?.service.owner.onEvent(listener) ?? (() => undefined));
        return () => {
          listeners.get(listener)?.();
          listeners.delete(listener);
        };
      },
    },
    async wake() {
      await node?.lookAgain();
    },
    async stop() {
      clearTimeout(again);
      await Promise.all(servers.map((server) => server.stop()));
      await node?.stop();
      node = null;
      await forMetrics?.stop();
    },
  };
}

/** Before the node is there: that it starts is an answer too. */
async function openMetrics(listen: string | null, dispatch: Dispatch): Promise<MetricsListener | null> {
  const address = listen === null ? null : addressOf(listen);
  if (address === null) return null;
  try {
    return await listenForMetrics({ ...address, dispatch });
  } catch (cause) {
    throw new StartRefused(
      `metrics.listen is ${listen}, and nothing can listen there (${(cause as NodeJS.ErrnoException).code ?? 'failed'}): ` +
        'choose another port, or an address of this machine.',
    );
  }
}

/** What runs here, as the first line of each start: whoever reads a log months later asks that first. */
function logStart({ log, config, sandbox }: EngineOptions): void {
  const { lnd, arkade, bitcoin, evm } = config;
  const connected = [
    ...(arkade === null ? [] : ['arkade']),
    ...(lnd === null ? [] : ['lightning']),
    ...(bitcoin.core === null && bitcoin.esplora.length === 0 ? [] : ['bitcoin']),
    ...Object.keys(evm).map((chain) => `evm:${chain}`),
  ];
  log.info(
    {
      version: version.tag,
      commit: version.commit,
      node: process.version,
      network: sandbox === null ? config.network : 'sandbox',
      networks: sandbox === null ? connected : ['arkade', 'lightning', 'bitcoin', 'evm'],
    },
    'Sluice starts',
  );
}

function rulesOf({ http, flood, timing }: Config): ServerRules {
  return {
    hostnames: http.hostnames,
    origins: http.origins,
    trustLoopbackProxy: http.trustLoopbackProxy,
    flood,
    bodyPatience: timing.bodySeconds * 1_000,
  };
}

async function linkSandbox(endpoints: SandboxEndpoints): Promise<SandboxLink> {
  const { createControls } = await import('./sandbox/controls.ts');
  return createControls(endpoints);
}

/** A plain client of the sandbox's, for demos. */
export async function openClientSide(options: ClientSideOptions): Promise<ClientSide> {
  const { openClientSide: open } = await import('./sandbox/client/side.ts');
  return open(options);
}

/** Loaded when it is asked for: a node that deploys nothing need not read the contracts. */
export async function deployContracts(options: Deploying): Promise<DeploymentReport | Refusal> {
  const { deployContracts: deploy } = await import('./adapters/evm/deploy.ts');
  return deploy(options);
}
