import { isAbsolute } from 'node:path';
import {
  readConfig,
  unknownName,
  type Config,
  type ConfigSources,
  type CoreConfig,
  type LndConfig,
} from '../config.ts';
import { fromEnvironment } from '../config/environment.ts';
import type { Settings } from '../contract/owner/settings.ts';
import { shownChain } from '../config/chains.ts';
import { isTree, strangeIn, type Tree } from '../config/tree.ts';
import { credentialPlaces, dropReplaced, placeName, treeAt, type Credential } from '../config/credentials.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import type { TimeoutPolicy } from '../legs/timeout-policy.ts';
import { policyOf } from '../config/policy.ts';
import type { Sealer } from '../store/sealer.ts';
import type { Connections } from './connections.ts';
import { sealCredential } from './credentials.ts';
import { withoutLink } from './lnd-link.ts';

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
  /** What a change would put in force. Nothing is stored, and nothing connected. */
  propose(patch: Settings['settings']): Config | Refusal;
  /** Changes what is stored, connects what it names, and answers the configuration then in force. */
  change(patch: Settings['settings']): Promise<Settings['settings'] | Refusal>;
  /** Whether any source names something of a setting, `terms`. */
  sets(setting: string): boolean;
  onChange(listener: (config: Config) => void): () => void;
}

/** Read once, when the node starts: a change would not do what it says. */
const fixed: Readonly<Record<string, string>> = {
  network: 'one data folder holds one network for ever: give another network a data folder of its own',
  dataDir: 'the folder is chosen at the start: use --data-dir',
  port: 'the port is chosen at the start: use --port, the environment or the configuration file',
  metrics: 'its listener is opened at the start: use the environment or the configuration file',
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

  /** What a change would make of what is stored, and of the configuration. */
  function proposed(asGiven: Tree): { readonly stored: Tree; readonly next: Config } | Refusal {
    const given = withoutLink(asGiven);
    if (isRefusal(given)) return given;
    // A name that is taken back is known, too: else a misspelt one would be taken without a word.
    const strange = strangeIn(given, 'the request') ?? unknownName('the request', given);
    if (strange !== null) return strange;
    for (const [name, why] of Object.entries(fixed))
      if (name in given) return refuse('invalid', `${name} cannot be changed while the node runs, ${why}.`);
    if (config.sandbox && leaves(given).some(namesNetwork))
      return refuse(
        'invalid',
        'This node is in its sandbox, which brings its own networks: start one with a configuration that names a ' +
          'network, and connect yours there.',
      );
    const patch = withSealedCredentials(given, sealer);
    if (isRefusal(patch)) return patch;
    const held = stronger(source, patch);
    if (held !== null) return held;
    const before = source.stored();
    if (isRefusal(before)) return before;
    dropReplaced(before, patch);
    const stored = merged(before, patch);
    const next = readConfig({ ...source.sources, stored, storedAs: 'the request' });
    if (isRefusal(next)) return next;
    return { stored, next: { ...next, dataDir: config.dataDir, ...(config.sandbox ? { evm: config.evm } : {}) } };
  }

  async function change(given: Tree): Promise<Settings['settings'] | Refusal> {
    const judged = proposed(given);
    if (isRefusal(judged)) return judged;
    const { stored, next: nextConfig } = judged;
    const refused = await connections.judge(config, nextConfig);
    if (refused !== null) return refused;
    source.save(stored);
    config = nextConfig;
    policy = policyOf(config);
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
    sets(setting) {
      const stored = source.stored();
      return [...layersAbove(source).map(({ content }) => content), stored].some(
        (content) => heldAt(content, [setting]) !== undefined,
      );
    },
    propose(patch) {
      const judged = proposed(patch);
      return isRefusal(judged) ? judged : judged.next;
    },
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

/** What is stronger than what is stored, the strongest first. */
function layersAbove({ sources }: SettingsSource): readonly { readonly name: string; readonly content: unknown }[] {
  const { environment, file, flags } = sources;
  return [
    { name: 'the flags', content: flags },
    { name: 'the environment', content: fromEnvironment(environment) },
    { name: `the file ${file?.name}`, content: file?.content },
  ];
}

/** A refusal of a change that something stronger would hide. */
function stronger(source: SettingsSource, patch: Tree): Refusal | null {
  const layers = layersAbove(source);
  for (const path of leaves(patch)) {
    const beside = [...path.slice(0, -1), `${path.at(-1)}File`];
    for (const { name, content } of layers) {
      const held = heldAt(content, path) ?? heldAt(content, beside);
      if (held !== undefined)
        return refuse('invalid', `${path.join('.')} is set by ${name}, which overrides this: change it there.`);
    }
  }
  return null;
}

/** Whether a setting says where a network is; how swaps over it are made is the owner's to say of the sandbox's too. */
function namesNetwork(path: readonly string[]): boolean {
  return ['lnd', 'bitcoin', 'arkade', 'evm'].includes(path[0] ?? '') && path.join('.') !== 'bitcoin.htlcForm';
}

/**
 * RFC 7386: null takes a setting back to its default, objects are merged, anything else is replaced. An object whose
 * last setting was taken back goes with it.
 */
export function merged(stored: Tree, patch: Tree): Tree {
  const result: Tree = { ...stored };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else if (!isTree(value)) result[name] = value;
    else {
      const before = isTree(result[name]) ? result[name] : {};
      const after = merged(before, value);
      if (isEmpty(after) && !isEmpty(before)) delete result[name];
      else result[name] = after;
    }
  }
  for (const { of, name } of credentialPlaces) {
    const [given, parent] = [treeAt(patch, of), treeAt(result, of)];
    if (given?.[name] !== undefined && parent !== null) delete parent[`${name}File`];
    if (given?.[`${name}File`] !== undefined && parent !== null) delete parent[name];
  }
  return result;
}

function isEmpty(tree: Tree): boolean {
  return Object.keys(tree).length === 0;
}

/** The places of single values in a patch, `lnd.socket`. */
export function leaves(patch: Tree, above: readonly string[] = []): (readonly string[])[] {
  return Object.entries(patch).flatMap(([name, value]) =>
    isTree(value) && !('sealed' in value) ? leaves(value, [...above, name]) : [[...above, name]],
  );
}

/** The value at a place, or at the nearest one above it that is no object; undefined for none. */
export function heldAt(content: unknown, path: readonly string[]): unknown {
  let at = content;
  for (const step of path) {
    if (!isTree(at)) return at === undefined ? undefined : at;
    at = Object.hasOwn(at, step) ? at[step] : undefined;
  }
  return at;
}

/** A patch whose credentials are sealed, and whose credentials that were only shown as `true` are left as they are. */
export function withSealedCredentials(patch: Tree, sealer: Sealer): Tree | Refusal {
  const sealed = structuredClone(patch);
  for (const path of leaves(patch)) {
    const value = heldAt(patch, path);
    if (path.at(-1)?.endsWith('File') && typeof value === 'string' && !isAbsolute(value))
      return refuse('invalid', `${path.join('.')} cannot be ${JSON.stringify(value)}: give the absolute path.`);
  }
  for (const place of credentialPlaces) {
    const parent = treeAt(sealed, place.of);
    const given = parent?.[place.name];
    if (parent === null || given === undefined || given === null) continue;
    const name = placeName(place);
    if (given === true) {
      delete parent[place.name];
      continue;
    }
    const bytes = typeof given === 'string' ? bytesOf(place.name, given) : null;
    if (bytes === null || bytes.length === 0)
      return refuse('invalid', `${name} cannot be read: ${forms[place.name] ?? 'give it as text'}.`);
    if (isRefusal(bytes)) return bytes;
    parent[place.name] = sealCredential(name, bytes, sealer);
  }
  return sealed;
}

const forms: Readonly<Record<string, string>> = {
  cert: 'give the whole of tls.cert, as its text or in base64',
  macaroon: 'give the whole of the macaroon file, in hex or base64',
};

function bytesOf(name: string, text: string): Uint8Array | null {
  const given = text.trim();
  if (name === 'user' || name === 'password') return new TextEncoder().encode(text);
  if (name === 'cert' && given.startsWith('-----BEGIN CERTIFICATE-----')) return new TextEncoder().encode(`${given}\n`);
  const bytes = /^([0-9a-f]{2})+$/i.test(given)
    ? Buffer.from(given, 'hex')
    : /^[0-9a-z+/_-]+={0,2}$/i.test(given)
      ? Buffer.from(given.replaceAll('-', '+').replaceAll('_', '/'), 'base64')
      : null;
  if (bytes === null) return null;
  return name !== 'cert' || bytes.toString('latin1').startsWith('-----BEGIN CERTIFICATE-----') ? bytes : null;
}

/** As the configuration is written, with `true` where the bytes of a credential would stand. */
function shown(config: Config): Settings['settings'] {
  const { lnd, bitcoin, evm, strictClocks: _derived, ...rest } = config;
  const plain = JSON.parse(JSON.stringify(rest)) as Settings['settings'];
  return {
    ...plain,
    lnd: lnd === null ? null : shownLnd(lnd),
    bitcoin: {
      ...bitcoin,
      core: bitcoin.core === null ? null : shownCore(bitcoin.core),
      esplora: [...bitcoin.esplora],
    },
    evm: Object.fromEntries(Object.entries(evm).map(([chain, of]) => [chain, shownChain(of)])),
  };
}

function shownLnd({ socket, cert, macaroon }: LndConfig): Settings['settings'] {
  return { socket, ...shownCredential('cert', cert), ...shownCredential('macaroon', macaroon) };
}

function shownCore({ url, login, caFile }: CoreConfig): Settings['settings'] {
  if ('cookieFile' in login) return { url, cookieFile: login.cookieFile, caFile };
  return { url, ...shownCredential('user', login.user), ...shownCredential('password', login.password), caFile };
}

function shownCredential(name: string, credential: Credential): Settings['settings'] {
  return 'file' in credential ? { [`${name}File`]: credential.file } : { [name]: true };
}
