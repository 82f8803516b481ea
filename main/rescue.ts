import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { entropyToMnemonic, mnemonicToSeed } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { isRefusal, refuse, type Refusal } from '../engine/domain/errors.ts';
import { osKeychain } from './keychain.ts';
import { lockFolder } from './lock.ts';
import { noNetwork, sandboxFolder } from './no-network.ts';
import { entropyOf, loadSeed, readPassphrase } from './seed.ts';
import { findSettings } from './settings.ts';

export interface RescueFlags {
  readonly bundle: string | null;
  readonly seedFile: string | null;
  readonly config: string | null;
  readonly dataDir: string | null;
  readonly passphraseFile: string | null;
  readonly operatorGone: boolean;
  readonly byHand: readonly string[];
  readonly to: readonly string[];
  readonly unroll: boolean;
}

export interface Talk {
  say(line: string): void;
  /** Whether the owner agrees to what was said. */
  agree(question: string): Promise<boolean>;
}

/** Everything that the command is given is read and judged; then the engine brings home what it can. */
export async function runRescue(
  flags: RescueFlags,
  environment: Readonly<Record<string, string | undefined>>,
  talk: Talk,
): Promise<'done' | 'later' | 'failed' | Refusal> {
  const settings = findSettings(
    {
      sandbox: false,
      mine: false,
      port: null,
      config: flags.config,
      dataDir: flags.dataDir,
      passphraseFile: flags.passphraseFile,
      passphraseFd: null,
    },
    environment,
    process.platform,
  );
  if (isRefusal(settings)) return settings;
  const { config, folder } = settings;
  const named = flags.dataDir === null ? null : sandboxFolder(folder);
  if (named !== null) return named;
  if (config.sandbox) return noNetwork(flags.config, 'bring home');
  const lock = existsSync(folder) ? lockFolder(folder) : null;
  if (isRefusal(lock))
    return refuse('unavailable', `${lock.sentence} While a node runs it claims and refunds by itself.`);
  try {
    const bundle = bundleOf(flags, folder);
    if (isRefusal(bundle)) return bundle;
    const seed = await seedOf(flags, folder);
    if (isRefusal(seed)) return seed;
    const { rescue } = await import('../engine/index.ts');
    return await rescue({
      config,
      seed,
      bundle,
      operatorGone: flags.operatorGone,
      byHand: flags.byHand,
      to: flags.to,
      unroll: flags.unroll,
      ...talk,
    });
  } finally {
    lock?.release();
  }
}

function bundleOf({ bundle }: RescueFlags, folder: string): { path: string; bytes: Uint8Array } | null | Refusal {
  const inFolder = join(folder, 'rescue.bundle');
  const path = bundle === null ? (existsSync(inFolder) ? inFolder : null) : resolve(bundle);
  if (path === null) return null;
  try {
    return { path, bytes: readFileSync(path) };
  } catch (cause) {
    return refuse('not-found', `The bundle ${path} cannot be read: ${(cause as Error).message}.`);
  }
}

async function seedOf({ seedFile, passphraseFile }: RescueFlags, folder: string): Promise<Uint8Array | Refusal> {
  try {
    if (seedFile !== null) return await seedOfWords(resolve(seedFile));
    const passphrase = passphraseFile === null ? null : readPassphrase(passphraseFile);
    return await loadSeed({ folder, sandbox: false, passphrase, keychain: osKeychain() });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === undefined) throw cause;
    return refuse('not-found', `A file that was named cannot be read: ${(cause as Error).message}.`);
  }
}

async function seedOfWords(path: string): Promise<Uint8Array | Refusal> {
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
    return refuse('forbidden', `Others on this machine may read ${path}: close it to them with "chmod 600 ${path}".`);
  const entropy = entropyOf(readFileSync(path, 'utf8'));
  if (isRefusal(entropy)) return refuse(entropy.refusal, `The words in ${path}: ${entropy.sentence}`);
  return mnemonicToSeed(entropyToMnemonic(entropy, wordlist));
}
