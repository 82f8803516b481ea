import type { Doctor } from '../../../engine/contract/owner/doctor.ts';
import { figureText } from '../../format/amount.ts';

export type CheckRow = Doctor['rows'][number];
type Result = CheckRow['result'];

/** What the doctor says of one network, or of the machine. */
export interface Checked {
  readonly network: string;
  readonly rows: readonly CheckRow[];
  readonly result: Result;
  /** Its worst sentences; of a network where all is well the one that says that it answers. */
  readonly sentences: readonly string[];
}

const order: Readonly<Record<Result, number>> = { fail: 0, warn: 1, pass: 2 };

/** By network, what does not work first. */
export function checkedNetworks(doctor: Doctor): Checked[] {
  const rows = doctor.rows.map((row) => ({ ...row, sentence: withGroups(row.sentence) }));
  const networks = [...new Set(rows.map(({ network }) => network))];
  return networks
    .map((network): Checked => {
      const own = rows.filter((row) => row.network === network);
      const result = own.map((row) => row.result).toSorted((a, b) => order[a] - order[b])[0] ?? 'pass';
      return { network, rows: own, result, sentences: sentencesOf(own, result) };
    })
    .toSorted((a, b) => order[a.result] - order[b.result]);
}

function sentencesOf(rows: readonly CheckRow[], result: Result): string[] {
  if (result !== 'pass') return rows.filter((row) => row.result !== 'pass').map(({ sentence }) => sentence);
  const telling = rows.filter(({ check }) => check === 'latency' || check === 'sync' || check === 'liquidity');
  return [(telling[0] ?? rows[0])?.sentence ?? ''];
}

/** Amounts as the page writes them; what is to be typed into a setting stays as it is typed. */
function withGroups(sentence: string): string {
  return sentence.replace(/(?<![\w.:-])\d{4,}(?= (?:sats|received)\b)/g, (digits) => figureText(digits, 0));
}
