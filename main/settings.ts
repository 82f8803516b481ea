import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { readConfig, type Config } from '../engine/config.ts';
import type { EngineOptions } from '../engine/index.ts';
import { isRefusal, refuse, type Refusal } from '../engine/domain/errors.ts';
import type { HostFlags } from './flags.ts';
import {
  bindFolder,
  boundName,
  defaultFolder,
  makeFolder,
  readIfThere,
  settingsName,
  type FolderName,
} from './folder.ts';
import { writePrivate } from './private-file.ts';
import { hasOwnersSeed } from './seed.ts';

export interface Settings {
  readonly config: Config;
  readonly folder: string;
  readonly source: EngineOptions['settings'];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Makes the data folder that the settings name and binds it to its network: for ever, so by nothing left out. */
export function readSettings(
  flags: HostFlags,
  environment: Environment,
  platform: NodeJS.Platform,
): Settings | Refusal {
  const settings = findSettings(flags, environment, platform);
  if (isRefusal(settings)) return settings;
  const { config, folder } = settings;
  if (config.sandbox && !flags.sandbox && boundName(folder) === null && hasOwnersSeed(folder))
    return refuse(
      'invalid',
      `No network is configured, so this start would bind ${folder} to the sandbox for ever, and its seed is for ` +
        'another: name the network and its endpoints with --config FILE, or start with --sandbox where that is meant.',
    );
  return makeFolder(folder) ?? bindFolder(folder, config.sandbox ? 'sandbox' : config.network) ?? settings;
}

/** Decides the data folder and reads every source of settings. Changes nothing. */
export function findSettings(
  flags: HostFlags,
  environment: Environment,
  platform: NodeJS.Platform,
): Settings | Refusal {
  const file = flags.config === null ? null : readConfigFile(flags.config);
  if (isRefusal(file)) return file;
  const sources = {
    flags: {
      sandbox: flags.sandbox,
      ...(flags.dataDir === null ? {} : { dataDir: flags.dataDir }),
      ...(flags.port === null ? {} : { port: flags.port }),
    },
    environment,
    file,
  };
  const read = (stored: unknown) => readConfig({ ...sources, stored });
  const named =
    flags.dataDir ??
    environment['SLUICE_DATA_DIR'] ??
    environment['SLUICE_DATADIR'] ??
    (file?.content as { dataDir?: unknown } | undefined)?.dataDir;
  const stored = typeof named === 'string' ? storedIn(resolve(named)) : null;
  if (isRefusal(stored)) return stored;
  const first = read(stored);
  if (isRefusal(first)) return first;
  const name: FolderName = first.sandbox ? 'sandbox' : first.network;
  const folder = resolve(first.dataDir ?? defaultFolder(name, platform, environment));
  const storedConfig = storedIn(folder);
  if (isRefusal(storedConfig)) return storedConfig;
  const config = read(storedConfig);
  if (isRefusal(config)) return config;
  return {
    config: { ...config, dataDir: folder },
    folder,
    source: { sources, stored: () => storedIn(folder), save: (stored) => save(folder, stored) },
  };
}

function save(folder: string, { network: _bound, ...stored }: Record<string, unknown>): void {
  writePrivate(storedPath(folder), Buffer.from(`${JSON.stringify(stored, null, 2)}\n`));
}

function storedPath(folder: string): string {
  return join(folder, settingsName);
}

/** What owner routes stored, and the network that the folder belongs to unless something stronger names one. */
function storedIn(folder: string): Record<string, unknown> | Refusal {
  const path = storedPath(folder);
  const text = readIfThere(path);
  const settings = text === null ? {} : parseJson(path, text);
  if (isRefusal(settings)) return settings;
  const bound = boundName(folder);
  return {
    ...(bound === null || bound === 'sandbox' ? {} : { network: bound }),
    ...(settings as Record<string, unknown>),
  };
}

function readConfigFile(path: string): { name: string; content: unknown } | Refusal {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return refuse('not-found', `The file of --config cannot be read: ${(error as Error).message}.`);
  }
  const content = parseJson(path, text);
  return isRefusal(content) ? content : { name: path, content: besideFile(content, dirname(resolve(path))) };
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return refuse('invalid', `The file ${path} is not JSON: ${(error as Error).message}.`);
  }
}

/** Below it there is no setting: what lies there is refused when the settings are read. */
const mostLevels = 8;

/** Files and folders that a configuration names without a root lie beside it. */
function besideFile(content: unknown, folder: string, level = 0): unknown {
  if (typeof content !== 'object' || content === null || Array.isArray(content) || level > mostLevels) return content;
  return Object.fromEntries(
    Object.entries(content).map(([name, value]) => {
      const path = (name.endsWith('File') || name === 'dataDir') && typeof value === 'string' && !isAbsolute(value);
      return [name, path ? join(folder, value) : besideFile(value, folder, level + 1)];
    }),
  );
}
