import { readFileSync, writeFileSync } from 'node:fs';
import { swapStatuses } from '../../engine/domain/status.ts';
import {
  arkadeLightningCase,
  arkadeWithdrawalCase,
  lightningArkadeCase,
  lightningWithdrawalCase,
  type Case,
} from '../swap/cases.ts';
import { arkadeBitcoinCase } from '../swap/arkade-bitcoin-cases.ts';
import { arkadeEvmCase } from '../swap/arkade-evm-cases.ts';
import { bitcoinArkadeCase } from '../swap/bitcoin-arkade-cases.ts';
import { evmArkadeCase } from '../swap/evm-arkade-cases.ts';
import { evmBitcoinCase } from '../swap/evm-bitcoin-cases.ts';
import { evmLightningCase } from '../swap/evm-lightning-cases.ts';
import { bitcoinEvmCase } from '../swap/bitcoin-evm-cases.ts';
import { lightningEvmCase } from '../swap/lightning-evm-cases.ts';
import { lightningBitcoinCase } from '../swap/lightning-bitcoin-cases.ts';
import { bitcoinLightningCase } from '../swap/bitcoin-lightning-cases.ts';
import { bitcoinWithdrawalCase } from '../swap/withdrawal-bitcoin-cases.ts';
import { explore } from '../swap/explore.ts';

/**
 * Writes `engine/swap/diagrams.md` from the machines themselves: each one is given every event of its catalogue in
 * every state that it reaches. With `--check` only says whether the file is what the code does.
 */
const file = new URL('../../engine/swap/diagrams.md', import.meta.url);

interface Drawn {
  readonly name: string;
  readonly first: string;
  /** Internal states with their wire status, in the order in which they are reached. */
  readonly states: Map<string, Set<string>>;
  /** What leads from one state to another, by `from to`. */
  readonly edges: Map<string, Set<string>>;
  readonly ended: Set<string>;
}

function draw<T, P extends { readonly at: string }>(of: Case<T, P>): Drawn {
  const { machine, terms, first } = of;
  const { states, moves } = explore(of);
  const drawn: Drawn = {
    name: machine.name,
    first: boxOf(first),
    states: new Map(),
    edges: new Map(),
    ended: new Set(),
  };
  for (const p of states) {
    entry(drawn.states, boxOf(p)).add(machine.status(p));
    if (!machine.open(terms, p)) drawn.ended.add(boxOf(p));
  }
  for (const { from, label, step } of moves) {
    if (boxOf(from) === boxOf(step.progress) && step.effects.length === 0) continue;
    // What follows a comma or names a variant is for the tables of the tests; here the event and its kind are enough.
    const event = label.split(',')[0] ?? label;
    const effects = step.effects.map((effect) => effect.do).join(' ');
    entry(drawn.edges, `${boxOf(from)} ${boxOf(step.progress)}`).add(effects === '' ? event : `${event} / ${effects}`);
  }
  return drawn;
}

/** A state that stopped is drawn once for each reason: the wire tells them apart. */
function boxOf(progress: { readonly at: string }): string {
  return 'why' in progress ? `${progress.at}_${String(progress.why)}` : progress.at;
}

function entry(map: Map<string, Set<string>>, key: string): Set<string> {
  const edges = map.get(key) ?? new Set<string>();
  map.set(key, edges);
  return edges;
}

/** Events that lead the same way, by their first word where there are many. */
function shortened(events: ReadonlySet<string>): string {
  if (events.size <= 3) return [...events].join('<br/>');
  const kinds = new Set([...events].map((event) => event.replace(/^(\S+)[^/]*?( \/ .*)?$/, '$1$2')));
  return [...kinds].join('<br/>');
}

function mermaid({ first, states, edges, ended }: Drawn): string {
  const lines = ['stateDiagram-v2', `  [*] --> ${first}`];
  for (const [at, statuses] of states) lines.push(`  ${at} : ${at}<br/>(${[...statuses].join(', ')})`);
  for (const [key, events] of edges) lines.push(`  ${key.replace(' ', ' --> ')} : ${shortened(events)}`);
  for (const at of ended) lines.push(`  ${at} --> [*]`);
  return ['```mermaid', ...lines, '```'].join('\n');
}

function statusTable(directions: readonly Drawn[]): string {
  const rows = swapStatuses.map((status) => {
    const cells = directions.map(
      ({ states }) =>
        [...states]
          .filter(([, statuses]) => statuses.has(status))
          .map(([at]) => `\`${at}\``)
          .join(' ') || '–',
    );
    return `| ${status} | ${cells.join(' | ')} |`;
  });
  return [
    `| Status | ${directions.map(({ name }) => name).join(' | ')} |`,
    `|---|${directions.map(() => '---|').join('')}`,
    ...rows,
  ].join('\n');
}

const directions = [
  draw(lightningArkadeCase),
  draw(arkadeLightningCase),
  draw(arkadeEvmCase),
  draw(evmLightningCase),
  draw(evmBitcoinCase),
  draw(bitcoinArkadeCase),
  draw(lightningEvmCase),
  draw(evmArkadeCase),
  draw(bitcoinEvmCase),
  draw(lightningBitcoinCase),
  draw(bitcoinLightningCase),
  draw(arkadeBitcoinCase),
];
const wallets = [draw(arkadeWithdrawalCase), draw(lightningWithdrawalCase), draw(bitcoinWithdrawalCase)];

const drawing = `# The machines, drawn from their code

Written by \`npm run generate\`; \`npm run check\` fails when it is stale. Each box is an internal state with the status that
the wire shows for it. An arrow names the events that lead along it and, after a slash, the effects that the same commit
asks for. A state that can leave the working set, because nothing of it needs watching, has an arrow to the end.

## Which state is told as which status

All sixteen statuses of the contract. A dash: the direction never shows it.

${statusTable(directions)}

${directions.map((drawn) => `## ${drawn.name}\n\n${mermaid(drawn)}`).join('\n\n')}

# Withdrawals of the owner

${wallets.map((drawn) => `## ${drawn.name}\n\n${mermaid(drawn)}`).join('\n\n')}
`;

function current(): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw cause;
  }
}

if (!process.argv.includes('--check')) {
  writeFileSync(file, drawing);
} else if (current() !== drawing) {
  console.error(
    'engine/swap/diagrams.md does not follow from the machines: run `npm run generate` and commit the ' + 'result.',
  );
  process.exitCode = 1;
}
