import type { z } from 'zod';
import type { BitcoinNetwork } from './domain/chain.ts';
import { isRefusal, refuse, type Refusal } from './domain/errors.ts';
import { fromEnvironment } from './config/environment.ts';
import { nearest } from './config/nearest.ts';
import { brokenRelation } from './config/relations.ts';
import { configSchema, type ParsedConfig, type Timing } from './config/schema.ts';
import { namesAt } from './config/shape.ts';

/** The configuration with every default filled in and every relation checked. */
export type Config = Omit<ParsedConfig, '$schema' | 'network' | 'dataDir' | 'evm'> & {
  readonly network: BitcoinNetwork;
  readonly sandbox: boolean;
  readonly dataDir: string | null;
  readonly evm: Readonly<Record<string, { readonly rpc: readonly string[]; readonly confirmations: readonly [number, number] }>>;
};

/** Where settings come from, the strongest first. */
export interface ConfigSources {
  readonly flags: { readonly sandbox?: boolean; readonly dataDir?: string; readonly port?: number; readonly timing?: Partial<Timing> };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The parsed content of the file of `--config`, and what to call it in a sentence. */
  readonly file: { readonly name: string; readonly content: unknown } | null;
  /** What owner routes stored. */
  readonly stored: unknown;
}

/** Confirmations up to and above 0.1 BTC, by chain: reorganisation depth seen against block time. */
const evmConfirmations: Readonly<Record<string, readonly [number, number]>> = {
  '1': [3, 12],
  '137': [16, 64],
  '42161': [20, 240],
  '30': [2, 12],
  '31': [2, 12],
};
const cautious = [20, 240] as const;

/** Merges the four sources, fills in the defaults, and refuses what it does not know or what cannot be. */
export function readConfig(sources: ConfigSources): Config | Refusal {
  const environment = fromEnvironment(sources.environment);
  if (isRefusal(environment)) return environment;
  const { sandbox: sandboxFlag, ...flags } = sources.flags;
  const layers = [
    { name: 'the stored settings', content: sources.stored ?? {} },
    ...(sources.file === null ? [] : [{ name: `the file ${sources.file.name}`, content: sources.file.content }]),
    { name: 'the environment', content: environment },
    { name: 'the flags', content: flags },
  ];
  let merged: unknown = {};
  for (const layer of layers) {
    if (!isTree(layer.content)) return refuse('invalid', `Configuration is one JSON object, ${layer.name} holds something else.`);
    const known = unknownName(layer.name, layer.content);
    if (known !== null) return known;
    merged = overlay(merged, layer.content);
  }
  const parsed = configSchema.safeParse(merged);
  if (!parsed.success) return refuse('invalid', sentenceOf(parsed.error, merged));
  return decide(parsed.data, sandboxFlag === true);
}

function decide(parsed: ParsedConfig, sandboxFlag: boolean): Config | Refusal {
  const connected = connections(parsed);
  const sandbox = sandboxFlag || (parsed.network === undefined && connected.length === 0);
  if (sandbox && connected.length > 0)
    return refuse('invalid', `Sandbox mode brings its own networks, but ${connected.join(' and ')} ${connected.length === 1 ? 'is' : 'are'} configured: remove that or start without --sandbox.`);
  if (sandbox && parsed.network !== undefined && parsed.network !== 'regtest')
    return refuse('invalid', `The sandbox is a regtest network, but network is "${parsed.network}": remove it or start without --sandbox.`);
  if (!sandbox && parsed.network === undefined)
    return refuse('invalid', `network is missing: outside the sandbox it must be mainnet, signet or regtest (${connected.join(', ')} configured).`);
  const network = parsed.network ?? 'regtest';
  const broken = brokenRelation(parsed, network);
  if (broken !== null) return refuse('invalid', broken);
  const { $schema: _schema, dataDir, evm, ...rest } = parsed;
  return { ...rest, network, sandbox, dataDir: dataDir ?? null, evm: withConfirmations(evm, network) };
}

function connections(parsed: ParsedConfig): string[] {
  const { lnd, arkade, bitcoin, evm } = parsed;
  const named = { lnd: lnd !== null, 'bitcoin.core': bitcoin.core !== null, 'bitcoin.esplora': bitcoin.esplora.length > 0, arkade: arkade !== null, evm: Object.keys(evm).length > 0 };
  return Object.entries(named).flatMap(([name, there]) => (there ? [name] : []));
}

function withConfirmations(evm: ParsedConfig['evm'], network: BitcoinNetwork): Config['evm'] {
  const usual = (id: string) => (network === 'regtest' ? ([1, 1] as const) : (evmConfirmations[id] ?? cautious));
  return Object.fromEntries(Object.entries(evm).map(([id, chain]) => [id, { rpc: chain.rpc, confirmations: chain.confirmations ?? usual(id) }]));
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function overlay(below: unknown, above: unknown): unknown {
  if (!isTree(below) || !isTree(above)) return above;
  const merged = { ...below };
  for (const [name, value] of Object.entries(above)) if (value !== undefined) merged[name] = overlay(merged[name], value);
  return merged;
}

function unknownName(layer: string, content: Record<string, unknown>): Refusal | null {
  const parsed = configSchema.safeParse(content);
  const issue = parsed.error?.issues.find((one) => one.code === 'unrecognized_keys');
  const key = issue?.keys[0];
  if (issue === undefined || key === undefined) return null;
  const known = namesAt(configSchema, issue.path).filter((name) => name !== '$schema');
  const near = nearest(key, known);
  const place = [...issue.path, key].join('.');
  return refuse('invalid', `Unknown key "${place}" in ${layer}: ${near === null ? `known are ${known.join(', ')}.` : `did you mean "${[...issue.path, near].join('.')}"?`}`);
}

/** A sentence for the first thing that is wrong, with the value that was given. */
function sentenceOf(error: z.ZodError, given: unknown): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'The configuration cannot be read.';
  let value = given;
  for (const step of issue.path) value = isTree(value) || Array.isArray(value) ? (value as Record<PropertyKey, unknown>)[step] : undefined;
  const shown = value === undefined ? 'nothing' : JSON.stringify(value);
  return `The setting ${issue.path.join('.')} cannot be ${shown.length > 120 ? `${shown.slice(0, 117)}...` : shown}: ${issue.message}.`;
}
