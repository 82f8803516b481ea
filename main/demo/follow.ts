import { setTimeout as pause } from 'node:timers/promises';
import { ask, textOf, type Json } from './http.ts';
import type { DemoNode } from './node.ts';
import { patienceMs } from './tour.ts';

/** Many are followed at once, and one client may ask so often and no more. */
const everyMs = 100;

/**
 * From these no swap moves on by itself: whoever waits for another status, and did nothing in between, waits for ever.
 */
const ends: ReadonlySet<string> = new Set([
  'serverredeemed',
  'expired',
  'clientinvalidfunded',
  'clientfundedtoolate',
  'clientrefunded',
  'clientrefundedserverrefunded',
  'clientredeemedandclientrefunded',
  'clientrefundedserverfunded',
]);

export interface Followed {
  /** Resolves with the record once one of the statuses is reached, or rejects when the swap ends otherwise. */
  until(...statuses: readonly string[]): Promise<Json>;
}

/** Prints each status as it comes, with the time since the one before. */
export function follow(node: DemoNode, id: string, say: (line: string) => void): Followed {
  let since = performance.now();
  let seen = '';
  let reached = '';
  return {
    async until(...statuses) {
      const begun = performance.now();
      for (;;) {
        const record = await ask(node, 'GET', `/swap/${id}`);
        const now = textOf(record, 'status');
        if (now !== seen) {
          say(`  ${now.padEnd(28)} ${((performance.now() - since) / 1_000).toFixed(2)} s`);
          since = performance.now();
          seen = now;
        }
        if (statuses.includes(now)) {
          reached = now;
          return record;
        }
        if (now !== reached && ends.has(now))
          throw new Error(`The swap ended in ${now}, not in ${statuses.join(' or ')}${await reasonOf(node, id)}.`);
        if (performance.now() - begun > patienceMs)
          throw new Error(`The swap is still in ${now} after ${patienceMs / 1_000} s${await reasonOf(node, id)}.`);
        await pause(everyMs);
      }
    },
  };
}

/** Why the node gave nothing or stopped, as its owner reads it; nothing where it names no reason. */
async function reasonOf(node: DemoNode, id: string): Promise<string> {
  const { progress } = await ask(node, 'GET', `/owner/swaps/${id}`);
  const { reason } = progress as { readonly reason?: string };
  return reason === undefined ? '' : `: ${reason.replace(/\.$/, '')}`;
}
