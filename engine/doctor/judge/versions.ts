import { cutWords } from '../../domain/words.ts';
import type { Rows } from './row.ts';

/** Releases that this build was tried with; `below` is the first that nobody has tried. */
interface Tried {
  readonly from: readonly [number, number];
  readonly below: readonly [number, number];
}

export const tried = {
  lnd: { from: [0, 20], below: [0, 22] },
  arkd: { from: [0, 9], below: [0, 10] },
  core: { from: [25, 0], below: [32, 0] },
  btcd: { from: [0, 24], below: [0, 27] },
} as const satisfies Record<string, Tried>;

export type Daemon = keyof typeof tried;

/** `0.20.2-beta commit=x`, `v0.9.15`, `/Satoshi:29.0.0/`: the first two numbers; null where there are none. */
function numbersOf(version: string): readonly [number, number] | null {
  const numbers = /(\d+)\.(\d+)/.exec(version);
  return numbers === null ? null : [Number(numbers[1]), Number(numbers[2])];
}

export function judgeVersion(rows: Rows, name: string, daemon: Daemon, words: string): void {
  const version = cutWords(words, 100);
  const { from, below } = tried[daemon];
  const numbers = numbersOf(version);
  const range = `${from.join('.')} up to below ${below.join('.')}`;
  if (numbers === null)
    rows.warn(
      'version',
      `${name} does not say which release it is (${JSON.stringify(version)}): ${daemon} ${range} was tried with ` +
        'this node.',
    );
  else if (before(numbers, from))
    rows.warn('version', `${name} runs ${version}, older than what was tried with this node (${range}): update it.`);
  else if (!before(numbers, below))
    rows.warn(
      'version',
      `${name} runs ${version}, newer than what was tried with this node (${range}): try it with small amounts, ` +
        'or update Sluice.',
    );
  else rows.pass('version', `${name} runs ${version}.`);
}

function before(a: readonly [number, number], b: readonly [number, number]): boolean {
  return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
}
