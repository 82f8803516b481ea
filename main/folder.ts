import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { refuse, type Refusal } from '../engine/domain/errors.ts';
import { comparedMark } from '../engine/store/seed-marks.ts';
import { writePrivate } from './private-file.ts';

/** What a data folder is bound to for ever. */
export type FolderName = 'sandbox' | 'mainnet' | 'signet' | 'mutinynet' | 'regtest';

/** The platform's data directory + `sluice/<name>`. */
export function defaultFolder(
  name: FolderName,
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const base =
    platform === 'win32'
      ? (environment['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'))
      : platform === 'darwin'
        ? join(homedir(), 'Library', 'Application Support')
        : (environment['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share'));
  return join(base, 'sluice', name);
}

/**
 * The platform's directory for state + `sluice`: how far a data folder has come is noted there too, where a copy or an
 * image of the folder does not reach. Sandboxes are copied and thrown away at will, so for one it is null, unless the
 * environment names that directory.
 */
export function stateFolder(
  sandbox: boolean,
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  const named = environment['XDG_STATE_HOME'];
  if (named !== undefined && named !== '') return join(named, 'sluice');
  if (sandbox) return null;
  if (platform === 'win32')
    return join(environment['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'), 'sluice-state');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'sluice-state');
  return join(homedir(), '.local', 'state', 'sluice');
}

/** What the commands for the sandbox and the seed leave in a folder that no node has started on yet. */
const ownBeforeFirstStart: ReadonlySet<string> = new Set([
  'sandbox',
  'seed.sealed',
  'sluice.lock',
  'sluice.pid',
  'sluice.lock-journal',
  'high-water.last',
  'taker-high-water',
  comparedMark,
]);

/** Settings that owner routes stored: the host reads them before there is a seed. */
export const settingsName = 'settings.json';

/** What a backup brings to a new disk, where its database is among it. */
const ownOfBackup: ReadonlySet<string> = new Set([
  'sluice.db',
  'rescue.bundle',
  'partials',
  'loose-locks',
  settingsName,
]);

/**
 * Makes the folder for its owner alone. A folder full of other things is refused: its rights are not ours to change.
 */
export function makeFolder(folder: string): Refusal | null {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = readdirSync(folder);
  const isRestored = names.includes('sluice.db');
  const others = names.filter((name) => !ownBeforeFirstStart.has(name) && !(isRestored && ownOfBackup.has(name)));
  if (others.length > 0 && boundName(folder) === null)
    return refuse(
      'invalid',
      `The folder ${folder} is not a data folder of Sluice and holds other things: name a new or an empty one ` +
        'with --data-dir.',
    );
  chmodSync(folder, 0o700);
  return null;
}

/** What the folder was bound to by its first start, null for a fresh one. */
export function boundName(folder: string): FolderName | null {
  const text = readIfThere(join(folder, 'network'));
  return text === null ? null : (text.trim() as FolderName);
}

export function bindFolder(folder: string, name: FolderName): Refusal | null {
  const bound = boundName(folder);
  if (bound === null) writePrivate(join(folder, 'network'), Buffer.from(`${name}\n`));
  else if (bound !== name)
    return refuse(
      'invalid',
      `The data folder ${folder} belongs to ${bound} for ever, this start is for ${name}: choose another folder ` +
        'with --data-dir.',
    );
  return null;
}

export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
