import { parseArgs } from 'node:util';
import type { Doctor } from '../../engine/contract/operator.ts';
import { isRefusal, refuse, type Refusal } from '../../engine/domain/errors.ts';
import { osKeychain } from '../keychain.ts';
import { loadSeed, readPassphrase } from '../seed.ts';
import { findSettings, type Settings } from '../settings.ts';

const usage = 'npm run doctor -- --config FILE [--json] [--data-dir DIR] [--passphrase-file FILE]';

interface Flags {
  readonly config: string | null;
  readonly dataDir: string | null;
  readonly passphraseFile: string | null;
  readonly json: boolean;
}

type Row = Doctor['rows'][number];

/** What an exit says to a script: everything passed, something to look at, something that must be mended. */
const exits = { pass: 0, warn: 1, fail: 2 } as const satisfies Record<Row['result'], number>;

function readFlags(): Flags | Refusal {
  try {
    const { values } = parseArgs({
      options: { config: { type: 'string' }, 'data-dir': { type: 'string' }, 'passphrase-file': { type: 'string' }, json: { type: 'boolean', default: false } },
    });
    return { config: values.config ?? null, dataDir: values['data-dir'] ?? null, passphraseFile: values['passphrase-file'] ?? null, json: values.json };
  } catch (error) {
    return refuse('invalid', `${(error as Error).message.split('. ')[0]}. Usage: ${usage}`);
  }
}

/** The rows, or the one thing that kept everything else from being checked, as a row as well. */
async function rowsFor(flags: Flags): Promise<readonly Row[]> {
  const settings = findSettings({ sandbox: false, mine: false, port: null, config: flags.config, dataDir: flags.dataDir, passphraseFile: flags.passphraseFile }, process.env, process.platform);
  if (isRefusal(settings)) return [stopped('configuration', settings)];
  const { config, folder } = settings;
  if (config.sandbox) return [stopped('configuration', refuse('invalid', `Nothing is configured to be checked: name a configuration with --config. A sandbox node is checked by its owner's route GET /owner/doctor.`))];
  const seed = await seedOf(flags, settings);
  if (isRefusal(seed)) return [stopped('seed', seed)];
  const { examine } = await import('../../engine/index.ts');
  try {
    return (await examine({ config, dataDir: folder, seed })).rows;
  } finally {
    seed?.fill(0);
  }
}

function stopped(check: string, refusal: Refusal): Row {
  return { network: 'node', check, result: 'fail', sentence: refusal.sentence };
}

/** Only who names a passphrase has credentials checked that lie sealed in the data folder. */
async function seedOf({ passphraseFile }: Flags, { folder }: Settings): Promise<Uint8Array | null | Refusal> {
  if (passphraseFile === null) return null;
  try {
    return await loadSeed({ folder, sandbox: false, passphrase: readPassphrase(passphraseFile), keychain: osKeychain() });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return refuse('not-found', `The file of --passphrase-file cannot be read: ${(error as Error).message}.`);
  }
}

function print(rows: readonly Row[]): void {
  const wide = (of: (row: Row) => string) => Math.max(...rows.map((row) => of(row).length));
  const [network, check] = [wide((row) => row.network), wide((row) => row.check)];
  for (const row of rows) console.log(`${row.result}  ${row.network.padEnd(network)}  ${row.check.padEnd(check)}  ${row.sentence}`);
  const count = (result: Row['result']) => rows.filter((row) => row.result === result).length;
  console.log(`\n${count('pass')} pass, ${count('warn')} warn, ${count('fail')} fail`);
}

async function doctor(): Promise<number> {
  const flags = readFlags();
  if (isRefusal(flags)) {
    console.error(flags.sentence);
    return exits.fail;
  }
  const rows = await rowsFor(flags);
  if (flags.json) console.log(JSON.stringify({ rows }));
  else print(rows);
  return Math.max(...rows.map(({ result }) => exits[result]));
}

process.exit(await doctor());
