import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Door } from './api/door.ts';
import type { Service } from './api/service.ts';
import type { LiveSettings } from './connections/settings.ts';
import type { Refusal } from './domain/errors.ts';
import { openBase, type NodeBase } from './node-base.ts';
import { openMarks, type NodeMarks } from './node-marks.ts';
import type { NodeOptions } from './node-options.ts';
import { openPorts, type NodePorts } from './node-ports.ts';
import { openRuntime, type NodeRuntime } from './node-runtime.ts';
import { openServices } from './node-services.ts';
import { bundleName } from './rescue/keep.ts';
import type { Log } from './runtime/log.ts';
import type { LogLines } from './runtime/log-lines.ts';
import { countGiven } from './service/htlc/cosign.ts';
import { notLiveForOwner } from './service/limits/live.ts';
import { fundWallets, type SandboxLink } from './service/sandbox.ts';
import { suspected } from './store/restored.ts';

/** The running node behind the listener: database, networks, runtime and the operations over them. */
export interface Node {
  readonly service: Service;
  readonly settings: LiveSettings;
  /** The other interface that the owner may have opened; null while it is shut. */
  door(): Door | null;
  /** Looks at all that is open and at every network, now. */
  lookAgain(): Promise<void>;
  stop(): Promise<void>;
  /** Once it is stopped: the database of a sandbox that starts over goes, and what brings its swaps home. */
  forget(): void;
}

/** What a node is made of, each layer over the ones before it. */
interface Layers {
  readonly base: NodeBase;
  readonly outer: NodePorts;
  readonly running: NodeRuntime;
  readonly marks: NodeMarks;
  readonly services: ReturnType<typeof openServices>;
}

export async function startNode(
  options: NodeOptions,
  link: SandboxLink | null,
  onReset: () => Promise<Refusal | null>,
  logs: LogLines,
): Promise<Node> {
  const base = openBase(options, link);
  const outer = openPorts(base);
  const running = openRuntime(base, outer);
  await base.sandboxClock?.readFirst();
  const marks = await openMarks(base, outer, running);
  countGiven(running.runtime);
  const services = openServices({ base, outer, running, marks }, { link, onReset, logs });
  const layers: Layers = { base, outer, running, marks, services };
  const stopping = new AbortController();

  await connect(layers, link);
  // What would be sent a second time must not be: nothing runs before the networks were asked what they did meanwhile.
  await inTime(compare(layers, stopping.signal), base.log);
  await start(layers);

  return {
    service: services.service,
    settings: outer.settings,
    door: () => (outer.settings.config.boltz.enabled ? services.boltz : null),
    lookAgain: () => running.upkeep.lookAgain(),
    async stop() {
      stopping.abort();
      await stop(layers);
    },
    forget() {
      base.folder.forget();
      rmSync(join(options.dataDir, bundleName), { force: true });
    },
  };
}

/** The sandbox gives what it gives while we connect. */
async function connect({ base, outer }: Layers, link: SandboxLink | null): Promise<void> {
  const { connections, wallet } = outer;
  const connected = connections.use(base.config);
  const funded =
    link === null
      ? null
      : fundWallets(link, base.store, {
          arkade: async () => (await connected, (await connections.ports.arkade.address()).address),
          bitcoin: async () => (await connected, wallet.address()),
          evm: { chains: Object.keys(base.config.evm), account: base.evmAccount },
        });
  await Promise.all([connected, funded]);
}

/** Networks that take long hold nothing back; what they show then is heard of then. */
async function compare({ base, running, marks }: Layers, stopping: AbortSignal): Promise<void> {
  const acts = await running.upkeep.compare();
  if (stopping.aborted || acts.length === 0) return;
  // Of a database that was found to be old these are what it forgot.
  if (marks.restored === null)
    marks.doubt(suspected(base.store.counters, { is: 'networks', shown: acts.map(({ shown }) => shown).join('; ') }));
  for (const act of acts) act.told?.();
}

/** How long a start waits for what the networks did meanwhile. */
const comparingMs = 3_000;

async function inTime(comparing: Promise<void>, log: Log): Promise<void> {
  const safely = comparing.catch((cause: unknown) =>
    log.error({ cause: String(cause) }, 'the networks could not be compared with the database at the start'),
  );
  await Promise.race([safely, sleep(comparingMs, undefined, { ref: false })]);
}

async function start({ base, outer, running, marks, services }: Layers): Promise<void> {
  const { runtime, keeper, markets, upkeep } = running;
  const { taker } = services;
  // What is owed already waits for no look at the networks that new swaps want.
  await Promise.all([upkeep.networks.refresh(), runtime.start()]);
  runtime.background('the rescue bundle', () => keeper.flush());
  upkeep.start();
  markets.start();
  base.sandboxClock?.start();
  upkeep.renewCoins();
  taker.restoreIfNew();
  taker.askForKeys();
  marks.follow();
  const openTo = marks.unguarded();
  if (openTo !== null) base.log.warn({}, openTo);
  if (!services.live()) base.log.warn({}, notLiveForOwner);
  // A ceiling that the owner raised is a decision about coins that wait for it.
  let { copyTo } = base.config.rescue;
  outer.settings.onChange((changed) => {
    // A second place is written when it is chosen, not when the next swap changes.
    if (changed.rescue.copyTo !== copyTo) keeper.exitPathsChanged();
    ({ copyTo } = changed.rescue);
    upkeep.renewCoins();
    markets.readSoon();
    taker.restoreIfNew();
  });
}

async function stop({ base, outer, running, marks, services }: Layers): Promise<void> {
  base.sandboxClock?.stop();
  services.boltz.stop();
  await services.taker.stop();
  await running.upkeep.stop();
  await running.markets.stop();
  await running.runtime.stop();
  await services.alerts.stop();
  await outer.connections.stop();
  await running.keeper.stop();
  await marks.stop();
  base.folder.close();
}
