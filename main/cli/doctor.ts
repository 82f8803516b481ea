import { parseArgs } from 'node:util';
import { isRefusal, refuse, type Refusal } from '../../engine/domain/errors.ts';
import { checklistLines, checklistNow, outcomeOf } from '../checklist.ts';
import { doctorRows, type DoctorFlags, type DoctorRow } from '../doctor.ts';
import { answerHelp } from '../help.ts';
import { hideDeprecations } from '../quiet.ts';

const usage = 'npm run doctor -- --config FILE [--checklist] [--json] [--data-dir DIR] [--passphrase-file FILE]';

/** What an exit says to a script: everything passed, something to look at, something that must be mended. */
const exits = { pass: 0, warn: 1, fail: 2 } as const satisfies Record<DoctorRow['result'], number>;

function readFlags(): (DoctorFlags & { readonly json: boolean; readonly checklist: boolean }) | Refusal {
  try {
    const { values } = parseArgs({
      options: {
        config: { type: 'string' },
        'data-dir': { type: 'string' },
        'passphrase-file': { type: 'string' },
        json: { type: 'boolean', default: false },
        checklist: { type: 'boolean', default: false },
      },
    });
    return {
      config: values.config ?? null,
      dataDir: values['data-dir'] ?? null,
      passphraseFile: values['passphrase-file'] ?? null,
      json: values.json,
      checklist: values.checklist,
    };
  } catch (error) {
    return refuse('invalid', `${(error as Error).message.split('. ')[0]}. Usage: ${usage}`);
  }
}

function print(rows: readonly DoctorRow[]): void {
  const wide = (of: (row: DoctorRow) => string) => Math.max(...rows.map((row) => of(row).length));
  const [network, check] = [wide((row) => row.network), wide((row) => row.check)];
  for (const row of rows)
    console.log(`${row.result}  ${row.network.padEnd(network)}  ${row.check.padEnd(check)}  ${row.sentence}`);
  const count = (result: DoctorRow['result']) => rows.filter((row) => row.result === result).length;
  console.log(`\n${count('pass')} pass, ${count('warn')} warn, ${count('fail')} fail`);
}

async function doctor(): Promise<number> {
  const flags = readFlags();
  if (isRefusal(flags)) {
    console.error(flags.sentence);
    return exits.fail;
  }
  if (flags.checklist) return checklist(flags);
  const rows = await doctorRows(flags, process.env);
  if (flags.json) console.log(JSON.stringify({ rows }));
  else print(rows);
  return Math.max(...rows.map(({ result }) => exits[result]));
}

/** 0 when every step is done or left out, 1 while one is to do, 2 where one failed or nobody could be asked. */
async function checklist(flags: DoctorFlags & { readonly json: boolean }): Promise<number> {
  const now = await checklistNow(flags, process.env);
  if (isRefusal(now)) {
    console.error(now.sentence);
    return exits.fail;
  }
  console.log(flags.json ? JSON.stringify(now) : checklistLines(now).join('\n'));
  return exits[outcomeOf(now)];
}

answerHelp(
  usage,
  'Checks a configuration and its connections, before money is at stake. Exits 0, 1 for a warning, 2 for a failure.',
  {
    '--config FILE': 'the configuration to check',
    '--checklist': 'prints the provider checklist of the running node',
    '--json': 'the rows, or the steps, as JSON',
    '--data-dir DIR': 'the data folder, where it is not the usual one',
    '--passphrase-file FILE': 'opens the seed, for credentials that lie sealed in the data folder',
  },
);
hideDeprecations();
process.exitCode = await doctor();
