import type { Config } from '../engine/config.ts';
import { isRefusal, type Refusal } from '../engine/domain/errors.ts';
import type { EngineOptions } from '../engine/index.ts';
import type { HostFlags } from './flags.ts';
import { folderHolder, lockFolder } from './lock.ts';
import { takenPort } from './port.ts';
import { forgetReady } from './ready.ts';
import { findSettings, readSettings } from './settings.ts';
import { ownerToken } from './token.ts';

/** A data folder that is ours alone until it is closed, with everything but its keys. */
export interface OpenFolder {
  readonly config: Config;
  readonly folder: string;
  readonly source: EngineOptions['settings'];
  readonly token: string;
  close(): void;
}

export async function openFolder(
  flags: HostFlags,
  { environment, platform }: { environment: Readonly<Record<string, string | undefined>>; platform: NodeJS.Platform },
): Promise<OpenFolder | Refusal> {
  const named = findSettings(flags, environment, platform);
  if (isRefusal(named)) return named;
  const taken = await takenPort(named.config.port);
  // A node that runs on the folder is the better reason, and mostly the holder of the port.
  if (taken !== null) return folderHolder(named.folder) ?? taken;
  const settings = readSettings(flags, environment, platform);
  if (isRefusal(settings)) return settings;
  const lock = lockFolder(settings.folder);
  if (isRefusal(lock)) return lock;
  forgetReady(settings.folder);
  const owner = ownerToken(settings.folder);
  if (!isRefusal(owner)) return { ...settings, token: owner.token, close: () => lock.release() };
  lock.release();
  return owner;
}
