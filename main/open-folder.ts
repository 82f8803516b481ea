import type { Config } from '../engine/config.ts';
import { isRefusal, type Refusal } from '../engine/domain/errors.ts';
import type { EngineOptions } from '../engine/index.ts';
import type { HostFlags } from './flags.ts';
import { lockFolder } from './lock.ts';
import { readSettings } from './settings.ts';
import { ownerToken } from './token.ts';

/** A data folder that is ours alone until it is closed, with everything but its keys. */
export interface OpenFolder {
  readonly config: Config;
  readonly folder: string;
  readonly source: EngineOptions['settings'];
  readonly token: string;
  close(): void;
}

export function openFolder(
  flags: HostFlags,
  parts: { readonly environment: Readonly<Record<string, string | undefined>>; readonly platform: NodeJS.Platform },
): OpenFolder | Refusal {
  const settings = readSettings(flags, parts.environment, parts.platform);
  if (isRefusal(settings)) return settings;
  const lock = lockFolder(settings.folder);
  if (isRefusal(lock)) return lock;
  const owner = ownerToken(settings.folder);
  if (!isRefusal(owner)) return { ...settings, token: owner.token, close: () => lock.release() };
  lock.release();
  return owner;
}
