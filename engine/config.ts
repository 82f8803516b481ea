import type { z } from 'zod';
import type { BitcoinNetwork } from './domain/chain.ts';
import { isRefusal, refuse, type Refusal } from './domain/errors.ts';
import { takes, type Fault } from './domain/takes.ts';
import { chosenCredential, dropReplaced, inlineCredential, type Credential } from './config/credentials.ts';
import { chainsOf, type EvmChainConfig } from './config/chains.ts';
import { fromEnvironment } from './config/environment.ts';
import { nearest } from './config/nearest.ts';
import { brokenRelation } from './config/relations.ts';
import { configSchema, type ParsedConfig } from './config/schema.ts';
import type { StrictClocks } from './config/policy.ts';
import { namesAt } from './config/shape.ts';
import { isTree, overlay, strangeIn } from './config/tree.ts';

/** The configuration with every default filled in and every relation checked. */
export type Config = Omit<ParsedConfig, '$schema' | 'network' | 'dataDir' | 'lnd' | 'bitcoin' | 'evm'> & {
  readonly network: BitcoinNetwork;
  readonly sandbox: boolean;
  readonly dataDir: string | null;
  readonly lnd: LndConfig | null;
  readonly bitcoin: {
    readonly htlcForm: ParsedConfig['bitcoin']['htlcForm'];
    readonly consolidate: boolean;
    readonly confirmations: ParsedConfig['bitcoin']['confirmations'];
    readonly confirmationsAboveSats: number;
    readonly core: CoreConfig | null;
    readonly esplora: readonly string[];
  };
  /** By the chain's number. */
  readonly evm: Readonly<Record<string, EvmChainConfig>>;
  /** Which limits on clocks stop new swaps: all of them where money is real, on regtest those that the owner set. */
  readonly strictClocks: StrictClocks;
};

export interface LndConfig {
  readonly socket: string;
  readonly cert: Credential;
  readonly macaroon: Credential;
}

export interface CoreConfig {
  readonly url: string;
  /** The cookie that Core writes at each start, or what its owner set. */
  readonly login: { readonly cookieFile: string } | { readonly user: Credential; readonly password: Credential };
  readonly caFile: string | null;
}

/** Where settings come from, the strongest first. */
export interface ConfigSources {
  readonly flags: {
    readonly sandbox?: boolean;
    readonly dataDir?: string;
    readonly port?: number;
  };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The parsed content of the file of `--config`, and what to call it in a sentence. */
  readonly file: { readonly name: string; readonly content: unknown } | null;
  /** What owner routes stored. */
  readonly stored: unknown;
  /** What to call that in a sentence, where it is not stored yet. */
  readonly storedAs?: string;
}

/**
 * Sats: every client of a sandbox comes from one address, and many swap at once. Three hundred locks with their relays
 * fit on the dearest of its chains, a stranger having an eighth of this.
 */
const sandboxUnpaidGas = 20_000_000;
/** Units for the same client at once: two hundred creates by a Lightning address cost five each. */
const sandboxBurst = 1_000;

/** Merges the four sources, fills in the defaults, and refuses what it does not know or what cannot be. */
export function readConfig(sources: ConfigSources): Config | Refusal {
  const environment = fromEnvironment(sources.environment);
  if (isRefusal(environment)) return environment;
  const { sandbox: sandboxFlag, ...flags } = sources.flags;
  const storedName = sources.storedAs ?? 'the stored settings';
  const layers = [
    { name: storedName, content: sources.stored ?? {} },
    ...(sources.file === null ? [] : [{ name: `the file ${sources.file.name}`, content: sources.file.content }]),
    { name: 'the environment', content: environment },
    { name: 'the flags', content: flags },
  ];
  let merged: unknown = {};
  for (const { name, content } of layers) {
    if (!isTree(content)) return refuse('invalid', `Configuration is one JSON object, ${name} holds something else.`);
    const wrong =
      strangeIn(content, name) ??
      (name === storedName ? null : inlineCredential(name, content)) ??
      unknownName(name, content);
    if (wrong !== null) return wrong;
    const below = structuredClone(merged);
    dropReplaced(below, content);
    merged = overlay(below, content);
  }
  const parsed = configSchema.safeParse(merged, { error: (issue) => `it takes ${takes(issue as Fault)}` });
  if (!parsed.success) return refuse('invalid', sentenceOf(parsed.error, merged));
  const decided = decide(parsed.data, sandboxFlag === true);
  if (isRefusal(decided)) return decided;
  // What a script connects on a network without value is to be used: nobody is there who would go through a checklist.
  const isScripted =
    decided.network === 'regtest' && layers.slice(1).some(({ content }) => connections(content).length > 0);
  const isPlayed = (...path: string[]) => decided.sandbox && !isSet(merged, path);
  const strict = (...path: string[]) => decided.network !== 'regtest' || isSet(merged, path);
  return {
    ...decided,
    live: decided.live ?? (isScripted ? true : null),
    ceilings: isPlayed('ceilings', 'unpaidGasPerDaySats')
      ? { ...decided.ceilings, unpaidGasPerDaySats: sandboxUnpaidGas }
      : decided.ceilings,
    flood: isPlayed('flood') ? { ...decided.flood, burst: sandboxBurst } : decided.flood,
    strictClocks: {
      lag: strict('timing', 'medianTimeLagSeconds'),
      tipAge: strict('timing', 'maxTipAgeSeconds', 'bitcoin'),
      evmTipAge: strict('timing', 'maxTipAgeSeconds', 'evm'),
    },
  };
}

function valueAt(content: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isTree(at) ? at[name] : undefined), content);
}

function isSet(content: unknown, path: readonly string[]): boolean {
  return (valueAt(content, path) ?? null) !== null;
}

function decide(parsed: ParsedConfig, sandboxFlag: boolean): Omit<Config, 'strictClocks'> | Refusal {
  const connected = connections(parsed);
  const sandbox = sandboxFlag || (parsed.network === undefined && connected.length === 0);
  if (sandbox && connected.length > 0)
    return refuse(
      'invalid',
      `Sandbox mode brings its own networks, but ${connected.join(' and ')} ` +
        `${connected.length === 1 ? 'is' : 'are'} configured: remove that or start without --sandbox.`,
    );
  if (sandbox && parsed.network !== undefined && parsed.network !== 'regtest')
    return refuse(
      'invalid',
      `The sandbox is a regtest network, but network is "${parsed.network}": remove it or start without --sandbox.`,
    );
  if (!sandbox && parsed.network === undefined)
    return refuse(
      'invalid',
      `network is missing: outside the sandbox it must be mainnet, signet, mutinynet or regtest (${connected.join(', ')} ` +
        'configured).',
    );
  const network = parsed.network ?? 'regtest';
  const broken = brokenRelation(parsed, network);
  if (broken !== null) return refuse('invalid', broken);
  const { $schema: _schema, dataDir, lnd, bitcoin, evm, prices, ...rest } = parsed;
  const credentials = {
    lnd: lnd === null ? null : lndOf(lnd),
    core: bitcoin.core === null ? null : coreOf(bitcoin.core),
  };
  if (isRefusal(credentials.lnd)) return credentials.lnd;
  if (isRefusal(credentials.core)) return credentials.core;
  const chains = chainsOf(evm, network);
  if (isRefusal(chains)) return chains;
  return {
    ...rest,
    network,
    sandbox,
    prices: { ...prices, fiat: prices.fiat ?? dollarsFrom(prices.url) },
    dataDir: dataDir ?? null,
    lnd: credentials.lnd,
    bitcoin: { ...bitcoin, core: credentials.core },
    evm: chains,
  };
}

function dollarsFrom(url: string | null): Config['prices']['fiat'] {
  return url === null ? null : { url, path: 'bitcoin.usd', currency: 'USD' };
}

function lndOf(lnd: NonNullable<ParsedConfig['lnd']>): LndConfig | Refusal {
  const cert = chosenCredential(lnd, ['lnd'], 'cert');
  if (isRefusal(cert)) return cert;
  const macaroon = chosenCredential(lnd, ['lnd'], 'macaroon');
  return isRefusal(macaroon) ? macaroon : { socket: lnd.socket, cert, macaroon };
}

function coreOf(core: NonNullable<ParsedConfig['bitcoin']['core']>): CoreConfig | Refusal {
  const { url, caFile, cookieFile } = core;
  if (cookieFile !== undefined) {
    const beside = (['userFile', 'user', 'passwordFile', 'password'] as const).find((name) => core[name] !== undefined);
    return beside === undefined
      ? { url, login: { cookieFile }, caFile }
      : refuse(
          'invalid',
          `bitcoin.core.cookieFile and bitcoin.core.${beside} exclude each other: leave out the cookie, or user ` +
            'name and password.',
        );
  }
  const user = chosenCredential(core, ['bitcoin', 'core'], 'user');
  if (isRefusal(user)) return user;
  const password = chosenCredential(core, ['bitcoin', 'core'], 'password');
  return isRefusal(password) ? password : { url, login: { user, password }, caFile };
}

const connectionPaths = [['lnd'], ['bitcoin', 'core'], ['bitcoin', 'esplora'], ['arkade'], ['evm']] as const;

/** The networks that some content connects, by their settings. */
function connections(content: unknown): string[] {
  const isThere = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  return connectionPaths.filter((path) => isThere(valueAt(content, path))).map((path) => path.join('.'));
}

/** The first name that no setting has, whatever stands under it; with the nearest one that is known. */
export function unknownName(layer: string, content: Record<string, unknown>): Refusal | null {
  const parsed = configSchema.safeParse(content);
  const issue = parsed.error?.issues.find((one) => one.code === 'unrecognized_keys');
  const key = issue?.keys[0];
  if (issue === undefined || key === undefined) return null;
  const names = namesAt(configSchema, issue.path).filter((name) => name !== '$schema');
  const settingNames = names.filter((name) => !names.includes(`${name}File`));
  const near = nearest(key, settingNames);
  const place = [...issue.path, key].join('.');
  return refuse(
    'invalid',
    `Unknown key "${place}" in ${layer}: ` +
      `${near === null ? `known are ${settingNames.join(', ')}.` : `did you mean "${[...issue.path, near].join('.')}"?`}`,
  );
}

/** A sentence for the first thing that is wrong, with the value that was given. */
function sentenceOf(error: z.ZodError, given: unknown): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'The configuration cannot be read.';
  if (issue.code === 'invalid_key') {
    const [place, key] = [issue.path.slice(0, -1).join('.'), String(issue.path.at(-1))];
    return `The setting ${place} cannot have the name "${key}": ${issue.issues[0]?.message ?? ''}.`;
  }
  let value = given;
  for (const step of issue.path)
    value = isTree(value) || Array.isArray(value) ? (value as Record<PropertyKey, unknown>)[step] : undefined;
  const name = issue.path.join('.');
  if (value === undefined) return `The setting ${name} is missing: ${issue.message}.`;
  const shown = JSON.stringify(value).replaceAll(/\/\/[^/"@]*@/g, '//...@');
  return `The setting ${name} cannot be ${shown.length > 120 ? `${shown.slice(0, 117)}...` : shown}: ${issue.message}.`;
}
