import { readConfig, type Config, type ConfigSources, type CoreConfig, type LndConfig } from '../config.ts';
import { fromEnvironment } from '../config/environment.ts';
import type { Settings } from '../contract/owner.ts';
import type { Tree } from '../config/tree.ts';
import type { Credential } from '../config/credentials.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import type { TimeoutPolicy } from '../legs/timelocks.ts';
import { policyOf } from '../config/policy.ts';
import type { Sealer } from '../store/sealer.ts';
import type { Connections } from './connections.ts';
import { heldAt, leaves, merged, withSealedCredentials } from './patch.ts';

/** Where settings come from, and how those of the owner's routes are kept; the host's to know. */
export interface SettingsSource {
  readonly sources: Omit<ConfigSources, 'stored'>;
  /** What was stored, read anew. */
  stored(): Tree | Refusal;
  /** Replaces what is stored, durably and readable by the owner alone. */
  save(stored: Tree): void;
}

export interface LiveSettings {
  readonly config: Config;
  readonly policy: TimeoutPolicy;
  /** The configuration in force, a credential that is set as `true`. */
  shown(): Settings['settings'];
  /** Changes what is stored, connects what it names, and answers the configuration then in force. */
  change(patch: Settings['settings']): Promise<Settings['settings'] | Refusal>;
  onChange(listener: (config: Config) => void): () => void;
}

/** Read once, when the node starts: a change would not do what it says. */
const fixed: Readonly<Record<string, string>> = {
  network: 'one data folder holds one network for ever: give another network a data folder of its own',
  dataDir: 'the folder is chosen at the start: use --data-dir',
  port: 'the port is chosen at the start: use --port, the environment or the configuration file',
};

export function createSettings(options: {
  start: Config;
  source: SettingsSource;
  sealer: Sealer;
  connections: Pick<Connections, 'use' | 'judge'>;
}): LiveSettings {
  const { source, sealer, connections } = options;
  const listeners = new Set<(config: Config) => void>();
  let config = options.start;
  let policy = policyOf(config);
  let last: Promise<unknown> = Promise.resolve();

  function stronger(patch: Tree): Refusal | null {
    const environment = fromEnvironment(source.sources.environment);
    const { file, flags } = source.sources;
    const layers = [
      { name: 'the flags', content: flags as unknown },
      { name: 'the environment', content: environment },
      { name: `the file ${file?.name}`, content: file?.content },
    ];
    for (const path of leaves(patch)) {
      const beside = [...path.slice(0, -1), `${path.at(-1)}File`];
      for (const { name, content } of layers) {
        const held = heldAt(content, path) ?? heldAt(content, beside);
        if (held !== undefined)
          return refuse(
            'invalid',
            `${path.join('.')} is set by ${name}, which is stronger than what is stored here: change it there.`,
          );
      }
    }
    return null;
  }

  async function change(given: Tree): Promise<Settings['settings'] | Refusal> {
    for (const [name, why] of Object.entries(fixed))
      if (name in given) return refuse('invalid', `${name} cannot be changed while the node runs, ${why}.`);
    if (config.sandbox && ['lnd', 'bitcoin', 'arkade', 'evm'].some((name) => name in given))
      return refuse(
        'invalid',
        'This node is in its sandbox, which brings its own networks: start one with a configuration that names a network, and connect yours there.',
      );
    const patch = withSealedCredentials(given, sealer);
    if (isRefusal(patch)) return patch;
    const held = stronger(patch);
    if (held !== null) return held;
    const before = source.stored();
    if (isRefusal(before)) return before;
    const stored = merged(before, patch);
    const next = readConfig({ ...source.sources, stored, storedAs: 'the request' });
    if (isRefusal(next)) return next;
    const asked = { ...next, dataDir: config.dataDir };
    const nextPolicy = judgedPolicy(asked);
    if (isRefusal(nextPolicy)) return nextPolicy;
    const refused = await connections.judge(config, asked);
    if (refused !== null) return refused;
    source.save(stored);
    config = asked;
    policy = nextPolicy;
    await connections.use(config);
    for (const listener of listeners) listener(config);
    return shown(config);
  }

  return {
    get config() {
      return config;
    },
    get policy() {
      return policy;
    },
    shown: () => shown(config),
    change(patch) {
      const changed = last.then(() => change(patch));
      last = changed.catch(() => undefined);
      return changed;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function judgedPolicy(config: Config): TimeoutPolicy | Refusal {
  try {
    return policyOf(config);
  } catch (cause) {
    return refuse('invalid', cause instanceof Error ? cause.message : String(cause));
  }
}

/** As the configuration is written, with `true` where the bytes of a credential would stand. */
function shown(config: Config): Settings['settings'] {
  const { lnd, bitcoin, strictClocks: _derived, ...rest } = config;
  const plain = JSON.parse(JSON.stringify(rest)) as Settings['settings'];
  return {
    ...plain,
    lnd: lnd === null ? null : shownLnd(lnd),
    bitcoin: { core: bitcoin.core === null ? null : shownCore(bitcoin.core), esplora: [...bitcoin.esplora] },
  };
}

function shownLnd({ socket, cert, macaroon }: LndConfig): Settings['settings'] {
  return { socket, ...shownCredential('cert', cert), ...shownCredential('macaroon', macaroon) };
}

function shownCore({ url, user, password, caFile }: CoreConfig): Settings['settings'] {
  return { url, ...shownCredential('user', user), ...shownCredential('password', password), caFile };
}

function shownCredential(name: string, credential: Credential): Settings['settings'] {
  return 'file' in credential ? { [`${name}File`]: credential.file } : { [name]: true };
}
