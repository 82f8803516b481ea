import type { Doctor } from '../engine/contract/owner/doctor.ts';
import { isRefusal, refuse, type Refusal } from '../engine/domain/errors.ts';
import { osKeychain } from './keychain.ts';
import { noNetwork } from './no-network.ts';
import { loadSeed, readPassphrase } from './seed.ts';
import { findSettings, type Settings } from './settings.ts';

export interface DoctorFlags {
  readonly config: string | null;
  readonly dataDir: string | null;
  readonly passphraseFile: string | null;
}

export type DoctorRow = Doctor['rows'][number];

/** Where the folder is, and what is configured. */
export function settingsOf(
  flags: DoctorFlags,
  environment: Readonly<Record<string, string | undefined>>,
): Settings | Refusal {
  return findSettings(
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
}

/** The rows, or the one thing that kept everything else from being checked, as a row as well. */
export async function doctorRows(
  flags: DoctorFlags,
  environment: Readonly<Record<string, string | undefined>>,
  patience?: number,
): Promise<readonly DoctorRow[]> {
  const settings = settingsOf(flags, environment);
  if (isRefusal(settings)) return [stopped('configuration', settings)];
  const { config, folder } = settings;
  if (config.sandbox)
    return [
      stopped(
        'configuration',
        noNetwork(flags.config, "check (a sandbox node is checked by its owner's route GET /owner/doctor)"),
      ),
    ];
  const seed = await seedOf(flags, settings);
  if (isRefusal(seed)) return [stopped('seed', seed)];
  const { examine } = await import('../engine/index.ts');
  try {
    return (await examine({ config, dataDir: folder, seed, ...(patience === undefined ? {} : { patience }) })).rows;
  } finally {
    seed?.fill(0);
  }
}

function stopped(check: string, refusal: Refusal): DoctorRow {
  return { network: 'node', check, result: 'fail', sentence: refusal.sentence };
}

/** Only who names a passphrase has credentials checked that lie sealed in the data folder. */
async function seedOf({ passphraseFile }: DoctorFlags, { folder }: Settings): Promise<Uint8Array | null | Refusal> {
  if (passphraseFile === null) return null;
  try {
    return await loadSeed({
      folder,
      sandbox: false,
      passphrase: readPassphrase(passphraseFile),
      keychain: osKeychain(),
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return refuse('not-found', `The file of --passphrase-file cannot be read: ${(error as Error).message}.`);
  }
}
