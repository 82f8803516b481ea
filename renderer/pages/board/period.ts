import { daySeconds } from './earnings.ts';

/** Days of a period, both of them in it, as `2026-11-23`: the days of the ledger are those of UTC. */
export interface Period {
  readonly first: string;
  readonly last: string;
}

export const spans = ['week', 'thirty', 'month', 'before', 'own'] as const;
export type Span = (typeof spans)[number];

/** The days that a choice means now; `own` are those that were chosen one by one. */
export function periodOf(span: Span, now: number, own: Period): Period {
  const today = new Date(now * 1_000);
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth()];
  switch (span) {
    case 'week':
      return { first: dayOf(now - 6 * daySeconds), last: dayOf(now) };
    case 'thirty':
      return { first: dayOf(now - 29 * daySeconds), last: dayOf(now) };
    case 'month':
      return { first: dayOf(Date.UTC(year, month, 1) / 1_000), last: dayOf(now) };
    case 'before':
      return { first: dayOf(Date.UTC(year, month - 1, 1) / 1_000), last: dayOf(Date.UTC(year, month, 0) / 1_000) };
    case 'own':
      return own;
  }
}

/** `2026-11-23` of a moment. */
export function dayOf(moment: number): string {
  return new Date(moment * 1_000).toISOString().slice(0, 10);
}

/** The first and the last second of a period; null while a day is missing or they are the wrong way round. */
export function secondsOf({ first, last }: Period): { readonly from: number; readonly to: number } | null {
  const [from, to] = [Date.parse(`${first}T00:00:00Z`) / 1_000, Date.parse(`${last}T23:59:59Z`) / 1_000];
  return from >= 0 && to >= from ? { from, to } : null;
}

/** How many days a period has. */
export function daysOf({ from, to }: { readonly from: number; readonly to: number }): number {
  return Math.ceil((to - from) / daySeconds);
}
