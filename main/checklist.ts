import type { Checklist } from '../engine/contract/owner/checklist.ts';
import { isRefusal, refuse, type Refusal } from '../engine/domain/errors.ts';
import { settingsOf, type DoctorFlags } from './doctor.ts';
import { boundName } from './folder.ts';
import { sealedWays } from './keyfile.ts';
import { askOwner, runningNode } from './running-node.ts';
import { hasOwnersSeed, seedPath } from './seed.ts';
import type { Settings } from './settings.ts';

type Step = Checklist['steps'][number];

/** Longer than the doctor gives an endpoint that says nothing. */
const patience = 60_000;

/** What the node of the folder says of each step; only a node that runs can say it. */
export async function checklistNow(
  flags: DoctorFlags,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Checklist | Refusal> {
  const settings = settingsOf(flags, environment);
  if (isRefusal(settings)) return settings;
  const { folder } = settings;
  const node = await runningNode(folder, '/owner/status');
  if (node === null)
    return refuse(
      'unavailable',
      `No node runs on ${folder}, and only a running one has a checklist: start it with ` +
        `"${startOf(flags, settings)}", in another terminal.`,
    );
  const reply = await askOwner(node, '/owner/checklist', patience);
  const body = (await reply.json()) as Checklist | { readonly error: string };
  return 'error' in body ? refuse('unavailable', body.error) : body;
}

/** Whole, for a start binds the folder to its network for ever: without a configuration to the sandbox. */
function startOf({ config: file, passphraseFile }: DoctorFlags, { config, folder }: Settings): string {
  const isSandbox = boundName(folder) === 'sandbox' || (config.sandbox && !hasOwnersSeed(folder));
  const seed = sealedWays(seedPath(folder));
  const isAskedFor = seed.is === 'sealed' && seed.ways.includes('passphrase') && !seed.ways.includes('keychain');
  return [
    'npm run headless --',
    ...(isSandbox ? ['--sandbox'] : file !== null || config.sandbox ? [`--config ${file ?? 'FILE'}`] : []),
    `--data-dir ${folder}`,
    ...(passphraseFile !== null || isAskedFor ? [`--passphrase-file ${passphraseFile ?? 'FILE'}`] : []),
  ].join(' ');
}

type Mark = Step['state'] | 'out';

const marks = {
  done: 'done    ',
  todo: 'to do   ',
  failed: 'failed  ',
  out: 'left out',
} as const satisfies Record<Mark, string>;

/** A network that nobody connected is left out, once something can be swapped without it. */
function markOf({ part, state }: Step, ready: boolean): Mark {
  return ready && part === 'network' && state === 'todo' ? 'out' : state;
}

/** What comes of all steps, as the doctor names it. */
export function outcomeOf({ ready, steps }: Checklist): 'pass' | 'warn' | 'fail' {
  const has = (mark: Mark) => steps.some((step) => markOf(step, ready) === mark);
  return has('failed') ? 'fail' : has('todo') || !ready ? 'warn' : 'pass';
}

/** As a terminal shows it: a line for each step, and below it what to do next. */
export function checklistLines({ live, ready, steps }: Checklist): readonly string[] {
  const wide = Math.max(...steps.map(({ id }) => id.length));
  const under = ' '.repeat(marks.done.length + wide + 4);
  const count = (mark: Mark) => steps.filter((step) => markOf(step, ready) === mark).length;
  return [
    ...steps.flatMap((step) => {
      const { id, sentence, act, command, warnings } = step;
      const mark = markOf(step, ready);
      const isOpen = mark === 'todo' || mark === 'failed';
      return [
        `${marks[mark]}  ${id.padEnd(wide)}  ${sentence}`,
        ...warnings.map((warning) => `${under}warns: ${warning}`),
        ...(isOpen && act !== undefined ? [`${under}${act}`] : []),
        ...(isOpen && command !== undefined ? [`${under}$ ${command}`] : []),
      ];
    }),
    '',
    `${count('done')} done, ${count('todo')} to do, ${count('failed')} failed, ${count('out')} left out`,
    live
      ? 'Strangers are offered swaps.'
      : ready
        ? 'All that a swap needs is done: PATCH /owner/settings with {"live": true} goes live.'
        : 'Strangers are offered nothing, and something that a swap needs is not done yet.',
  ];
}
