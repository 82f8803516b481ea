import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { isRefusal, refuse, type Refusal } from '../../engine/domain/errors.ts';
import { answerHelp } from '../help.ts';
import { hideDeprecations } from '../quiet.ts';
import { runRescue } from '../rescue.ts';

const usage =
  'npm run rescue -- --config FILE [--bundle FILE] [--seed-file FILE] [--data-dir DIR] [--passphrase-file FILE] ' +
  '[--operator-gone] [--by-hand SWAP]... [--to ADDRESS]... [--unroll] [--yes]';

/** What an exit says to a script: all is home, something comes home later, something needs the owner. */
const exits = { done: 0, later: 1, failed: 2 } as const;

async function command(): Promise<keyof typeof exits | Refusal> {
  const { values } = parseArgs({
    options: {
      bundle: { type: 'string' },
      'seed-file': { type: 'string' },
      config: { type: 'string' },
      'data-dir': { type: 'string' },
      'passphrase-file': { type: 'string' },
      'operator-gone': { type: 'boolean', default: false },
      'by-hand': { type: 'string', multiple: true },
      to: { type: 'string', multiple: true },
      unroll: { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
    },
  });
  return runRescue(
    {
      bundle: values.bundle ?? null,
      seedFile: values['seed-file'] ?? null,
      config: values.config ?? null,
      dataDir: values['data-dir'] ?? null,
      passphraseFile: values['passphrase-file'] ?? null,
      operatorGone: values['operator-gone'],
      byHand: values['by-hand'] ?? [],
      to: values.to ?? [],
      unroll: values.unroll,
    },
    process.env,
    { say: (line) => console.log(line), agree: async (question) => values.yes || (await answer(question)) },
  );
}

async function answer(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    console.log(`${question} Nobody is at a terminal to answer: run this again with --yes.`);
    return false;
  }
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await lines.question(`${question} (yes/no) `)).trim() === 'yes';
  } finally {
    lines.close();
  }
}

answerHelp(
  usage,
  'Recovers the money of a lost node from open swaps and wallets. Exits 0, 1 where money comes later or an EVM chain ' +
    'could not be searched, 2 on failure.',
  {
    '--config FILE': 'the endpoints of your own networks',
    '--bundle FILE': 'rescue.bundle of the lost node; else that of the data folder',
    '--seed-file FILE': 'the words of the seed, a file with mode 0600',
    '--data-dir DIR': 'the data folder: its settings, its bundle, and its sealed seed where no words are named',
    '--passphrase-file FILE': "opens that seed where the system's keychain does not",
    '--operator-gone': 'the Arkade operator is away for good: leave by the Bitcoin chain',
    '--by-hand SWAP': 'for a stuck swap: claim or refund each leg by the state of the networks',
    '--to ADDRESS': 'send the recovered coins on to this address; once for each network',
    '--unroll': 'take the coins on Arkade to the Bitcoin chain as well',
    '--yes': 'agree to every question',
  },
);
hideDeprecations();
const outcome = await command().catch((error: NodeJS.ErrnoException) =>
  refuse(
    'invalid',
    error.code?.startsWith('ERR_PARSE_ARGS') === true
      ? `${error.message.split('. ')[0]}. Usage: ${usage}`
      : `The rescue ended on an error: ${error.stack ?? error.message}`,
  ),
);
if (isRefusal(outcome)) console.error(outcome.sentence);
process.exitCode = isRefusal(outcome) ? exits.failed : exits[outcome];
