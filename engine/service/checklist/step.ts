import type { ChecklistStep } from '../../contract/owner/checklist.ts';
import type { Doctor } from '../../contract/owner/doctor.ts';

export type Step = ChecklistStep;
export type Rows = Doctor['rows'];

type Seen = Pick<Step, 'id' | 'part' | 'sentence'> & Partial<Step>;

export function done(step: Seen): Step {
  return { state: 'done', needed: false, warnings: [], ...step };
}

export function todo(step: Seen): Step {
  return { state: 'todo', needed: false, warnings: [], ...step };
}

export function failed(step: Seen): Step {
  return { state: 'failed', needed: false, warnings: [], ...step };
}

/** What the doctor found of one network, or of `node`, in some of its checks or in all but some. */
export function rowsOf(rows: Rows, network: string, checks: { only: readonly string[] } | { not: readonly string[] }) {
  return rows.filter(
    (row) =>
      row.network === network && ('only' in checks ? checks.only.includes(row.check) : !checks.not.includes(row.check)),
  );
}

/** The sentence of the first row that failed; null where none did. */
export function faultIn(rows: Rows): string | null {
  return rows.find(({ result }) => result === 'fail')?.sentence ?? null;
}

export function warningsIn(rows: Rows): string[] {
  return rows.filter(({ result }) => result === 'warn').map(({ sentence }) => sentence);
}

/** A moment as a person reads it, in UTC. */
export function dayOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 16).replace('T', ' ');
}

/** 1234567 as 1,234,567. */
export function grouped(number: bigint): string {
  return number.toString().replace(/\B(?=(\d{3})+$)/g, ',');
}
