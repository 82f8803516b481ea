import { setTimeout as pause } from 'node:timers/promises';
import { ask, textOf, type Json } from './http.ts';
import type { DemoNode } from './node.ts';

const everyMs = 50;

/** From these no swap moves on, and only one of them is what the demo came for. */
const ends: ReadonlySet<string> = new Set([
  'serverredeemed',
  'expired',
  'serverwontfund',
  'clientinvalidfunded',
  'clientfundedtoolate',
  'clientrefunded',
  'clientrefundedserverrefunded',
  'clientfundedserverrefunded',
  'clientredeemedandclientrefunded',
  'clientrefundedserverfunded',
]);

export interface Followed {
  /** Resolves with the record once the status is reached, or rejects when the swap ends otherwise. */
  until(status: string): Promise<Json>;
}

/** Prints each status as it comes, with the time since the one before. */
export function follow(node: DemoNode, id: string, say: (line: string) => void, patienceMs: number): Followed {
  const begun = performance.now();
  let since = begun;
  let seen = '';
  return {
    async until(status) {
      for (;;) {
        const record = await ask(node, 'GET', `/swap/${id}`);
        const now = textOf(record, 'status');
        if (now !== seen) {
          say(`  ${now.padEnd(20)} ${((performance.now() - since) / 1_000).toFixed(2)} s`);
          since = performance.now();
          seen = now;
        }
        if (now === status) return record;
        if (ends.has(now)) throw new Error(`The swap ended in ${now}, not in ${status}.`);
        if (performance.now() - begun > patienceMs)
          throw new Error(`The swap is still in ${now} after ${patienceMs / 1_000} s.`);
        await pause(everyMs);
      }
    },
  };
}
