import type { Engine, EngineOptions } from '../engine/index.ts';
import { isRefusal, refuse, StartRefused, type Refusal } from '../engine/domain/errors.ts';
import type { HostFlags } from './flags.ts';
import { stateFolder } from './folder.ts';
import type { Keychain } from './keychain.ts';
import { openFolder, type OpenFolder } from './open-folder.ts';
import { passphraseOf } from './passphrase.ts';
import { portRefusal } from './port.ts';
import { forgetReady, writeReady, type ReadyLine } from './ready.ts';
import { startSandbox, type SpawnSandbox } from './sandbox-process.ts';
import { loadSeed, madeOnRegtest } from './seed.ts';

/** What differs between the desktop, the headless node and a test. */
export interface HostParts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly log: EngineOptions['log'];
  readonly keychain: Keychain;
  readonly spawnSandbox: SpawnSandbox;
  /** The built page to serve to a browser, null for none. */
  readonly page: string | null;
  /** Loaded only once the folder is ours: a second start need not wait for it. */
  readonly startEngine: () => Promise<(options: EngineOptions) => Promise<Engine>>;
}

export interface Host {
  readonly engine: Engine;
  readonly ready: ReadyLine;
  readonly token: string;
  readonly sandbox: boolean;
  stop(): Promise<void>;
}

/** Starts everything in order; what was started stops in reverse order, here on failure or by `stop`. */
export async function startHost(flags: HostFlags, parts: HostParts): Promise<Host | Refusal> {
  const folder = await openFolder(flags, parts);
  if (isRefusal(folder)) return folder;
  try {
    const host = await unlocked(folder, flags, parts);
    if (isRefusal(host)) {
      folder.close();
      return host;
    }
    let stopping: Promise<void> | null = null;
    return { ...host, stop: () => (stopping ??= host.stop().finally(() => folder.close())) };
  } catch (error) {
    folder.close();
    throw error;
  }
}

async function unlocked(folder: OpenFolder, flags: HostFlags, parts: HostParts): Promise<Host | Refusal> {
  const passphrase = passphraseOf(flags);
  if (isRefusal(passphrase)) return passphrase;
  const { network, sandbox } = folder.config;
  const ways = { folder: folder.folder, sandbox, passphrase, keychain: parts.keychain };
  const made = network === 'regtest' && !sandbox ? await madeOnRegtest(ways) : false;
  const seed = isRefusal(made) ? made : await loadSeed(ways);
  passphrase?.fill(0);
  if (made === true)
    parts.log.info({}, 'this folder had no seed and has one now: npm run seed -- show prints its words');
  return isRefusal(seed) ? seed : runNode(folder, seed, parts);
}

/** Runs the node in a folder that stays open when it stopped. The seed is its own from here: it is wiped at the end. */
export async function runNode(folder: OpenFolder, seed: Uint8Array, parts: HostParts): Promise<Host | Refusal> {
  const stops: (() => Promise<void> | void)[] = [() => void seed.fill(0)];
  let stopping: Promise<void> | null = null;
  const stop = () => (stopping ??= stopAll(stops));
  try {
    const host = await start(folder, seed, parts, stops, stop);
    if (isRefusal(host)) await stop();
    return host;
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  { config, folder, source, token }: OpenFolder,
  seed: Uint8Array,
  parts: HostParts,
  stops: (() => Promise<void> | void)[],
  stop: () => Promise<void>,
): Promise<Host | Refusal> {
  // Loaded while the networks start, which are begun first: much of the loading leaves nobody else a turn.
  const networks = config.sandbox ? startSandbox(folder, parts.spawnSandbox) : null;
  const loading = new Promise(setImmediate).then(() => parts.startEngine());
  loading.catch(() => undefined); // Thrown where it is awaited.
  const sandbox = await networks;
  if (isRefusal(sandbox)) return sandbox;
  let leaving = false;
  if (sandbox !== null) {
    stops.push(() => {
      leaving = true;
      return sandbox.stop();
    });
    void sandbox.ended.then(
      (how) => leaving || parts.log.error({ how }, 'the sandbox networks ended: stop the node and start it again'),
    );
  }
  const startEngine = await loading;
  const engine = await started(() =>
    startEngine({
      config,
      settings: source,
      dataDir: folder,
      stateFolder: stateFolder(config.sandbox, parts.platform, parts.environment),
      seed,
      token,
      log: parts.log,
      sandbox:
        sandbox === null
          ? null
          : { endpoints: sandbox.endpoints as NonNullable<EngineOptions['sandbox']>['endpoints'] },
      ...(parts.page === null ? {} : { ui: { directory: parts.page } }),
    }),
  );
  if (isRefusal(engine)) return engine;
  stops.push(() => engine.stop());
  const listening = await listen(engine, config.port);
  if (isRefusal(listening)) return listening;
  const ready: ReadyLine = {
    event: 'ready',
    url: listening.url,
    ui: parts.page === null ? null : { url: `${listening.url}/` },
    network: config.network,
    dataDir: folder,
  };
  writeReady(folder, ready);
  stops.push(() => forgetReady(folder));
  return { engine, ready, token, sandbox: config.sandbox, stop };
}

/** What is wrong with the folder is told as any other refusal. */
async function started(start: () => Promise<Engine>): Promise<Engine | Refusal> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof StartRefused) return refuse('invalid', error.message);
    throw error;
  }
}

async function listen(engine: Engine, port: number): Promise<{ url: string } | Refusal> {
  try {
    return await engine.listen(port);
  } catch (error) {
    const code =
      (error as NodeJS.ErrnoException).code ?? ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code;
    const refusal = portRefusal(port, code);
    if (refusal !== null) return refusal;
    throw error;
  }
}

/** A stop that fails does not keep the others from stopping; all failures are told at the end. */
async function stopAll(stops: (() => Promise<void> | void)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const one of stops.toReversed()) {
    try {
      await one();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, 'the node did not stop cleanly');
}
