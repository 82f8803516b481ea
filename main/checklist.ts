import type { Checklist } from '../engine/contract/owner/checklist.ts';
import { isRefusal, refuse, type Refusal } from '../engine/domain/errors.ts';
import { settingsOf, type DoctorFlags } from './doctor.ts';
import { askOwner, runningNode } from './running-node.ts';

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
      `No node runs on ${folder}, and only a running one has a checklist: start it with "npm run headless -- ` +
        `--data-dir ${folder}", in another terminal.`,
    );
  const reply = await askOwner(node, '/owner/checklist', patience);
  const body = (await reply.json()) as Checklist | { readonly error: string };
  return 'error' in body ? refuse('unavailable', body.error) : body;
}

const marks = { done: 'done  ', todo: 'to do ', failed: 'failed' } as const satisfies Record<Step['state'], string>;

/** As a terminal shows it: a line for each step, and below it what to do next. */
export function checklistLines({ live, ready, steps }: Checklist): readonly string[] {
  const wide = Math.max(...steps.map(({ id }) => id.length));
  const under = ' '.repeat(marks.done.length + wide + 4);
  const count = (state: Step['state']) => steps.filter((step) => step.state === state).length;
  return [
    ...steps.flatMap(({ id, state, sentence, act, command, warnings }) => [
      `${marks[state]}  ${id.padEnd(wide)}  ${sentence}`,
      ...warnings.map((warning) => `${under}warns: ${warning}`),
      ...(state === 'done' ? [] : [...(act === undefined ? [] : [`${under}${act}`])]),
      ...(state === 'done' || command === undefined ? [] : [`${under}$ ${command}`]),
    ]),
    '',
    `${count('done')} done, ${count('todo')} to do, ${count('failed')} failed`,
    live
      ? 'Strangers are offered swaps.'
      : ready
        ? 'All that a swap needs is done: PATCH /owner/settings with {"live": true} goes live.'
        : 'Strangers are offered nothing, and something that a swap needs is not done yet.',
  ];
}
