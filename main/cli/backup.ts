import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isRefusal, refuse, type Refusal } from '../../engine/domain/errors.ts';
import { settingsName } from '../folder.ts';
import { answerHelp } from '../help.ts';
import { writePrivate } from '../private-file.ts';

const usage = 'npm run backup -- --data-dir DIR --to FILE';

/** A copy of the database, whether its node runs or not. */
async function backup(): Promise<string | Refusal> {
  const { values } = parseArgs({ options: { 'data-dir': { type: 'string' }, to: { type: 'string' } } });
  const { 'data-dir': dataDir, to } = values;
  if (dataDir === undefined || to === undefined) return refuse('invalid', `Usage: ${usage}`);
  const { backUpDatabase } = await import('../../engine/index.ts');
  const file = resolve(to);
  const copy = await backUpDatabase(resolve(dataDir), file, Math.floor(Date.now() / 1_000));
  if (isRefusal(copy)) return copy;
  const { bundle, notes, settings } = copyBeside(resolve(dataDir), file);
  return [
    ...(bundle === null ? [] : [`The rescue bundle of its open swaps is copied to ${bundle}.`]),
    ...(notes === null ? [] : [`The notes that belong to the bundle are copied to ${notes}.`]),
    ...(settings === null ? [] : [`The settings that were made on the page are copied to ${settings}.`]),
    `The database is copied to ${file} and was found whole (schema ${copy.schema}, ${copy.openSwaps} open ` +
      `${copy.openSwaps === 1 ? 'swap' : 'swaps'}).`,
    'The copy lacks the seed, and is useless without it: keep the words on paper ("npm run seed -- verify" ' +
      'compares them). Nor does it hold the configuration, the token or the marks of the data folder.',
    'To go back to it, stop the node, put it in the place of sluice.db in the data folder and remove ' +
      'sluice.db-wal and sluice.db-shm there: the node then starts paused and compares itself with the networks. ' +
      'On a new disk bring the words first, with "npm run seed -- restore --data-dir DIR".',
  ].join('\n');
}

/**
 * Files of their own: the bundle with its notes is enough where only the open swaps are to be brought home. The notes
 * are copied after it, for those made meanwhile count as well. Null for what the folder does not have.
 */
function copyBeside(folder: string, to: string): Record<'bundle' | 'notes' | 'settings', string | null> {
  const copy = (name: string, end: string): string | null => {
    const from = join(folder, name);
    if (!existsSync(from)) return null;
    writePrivate(`${to}${end}`, readFileSync(from));
    return `${to}${end}`;
  };
  return {
    bundle: copy('rescue.bundle', '.rescue'),
    notes: copy('partials', '.rescue.partials'),
    settings: copy(settingsName, `.${settingsName}`),
  };
}

answerHelp(usage, 'Copies the database of a data folder, whether its node runs or not.', {
  '--data-dir DIR': 'the data folder',
  '--to FILE': 'the copy; the rescue bundle, its notes and the settings go beside it',
});

const answer = await backup().catch((error: NodeJS.ErrnoException) =>
  refuse(
    'invalid',
    error.code?.startsWith('ERR_PARSE_ARGS') === true
      ? `${error.message.split('. ')[0]}. Usage: ${usage}`
      : `The backup was not made: ${error.message}.`,
  ),
);
if (isRefusal(answer)) {
  console.error(answer.sentence);
  process.exitCode = 1;
} else {
  console.log(answer);
}
