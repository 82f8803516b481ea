import type { LedgerRow } from '../../../engine/contract/owner/ledger.ts';
import { client } from '../../stores/records.ts';
import { useReading, type Reading } from '../../stores/reading.ts';
import type { SwapLine } from './swap-lines.ts';

/** More than one looks through; the list of all goes on page by page. */
export const mostOpen = 100;
/** Pages of the ledger that are read for one look at it. */
const mostPages = 25;
const ledgerSeconds = 60;

/** What is open, the most urgent first. */
export function useOpenLines(): Reading<readonly SwapLine[]> {
  return useReading(
    'open',
    async () => (await client().call('ownerSwaps', { query: { open: 'true', limit: mostOpen } })).swaps,
  );
}

export interface LedgerRead {
  readonly rows: readonly LedgerRow[];
  /** False where there are more rows than were read. */
  readonly complete: boolean;
}

/** The ledger from a moment on. Its length is that of history: it is read anew once a minute. */
export function useLedger(from: number): Reading<LedgerRead> {
  return useReading(
    String(from),
    async () => {
      const rows: LedgerRow[] = [];
      let cursor: string | null = null;
      for (let page = 0; page < mostPages; page++) {
        const answer: { rows: LedgerRow[]; next_cursor: string | null } = await client().call('ownerLedger', {
          query: { from, ...(cursor === null ? {} : { cursor }) },
        });
        rows.push(...answer.rows);
        cursor = answer.next_cursor;
        if (cursor === null) return { rows, complete: true };
      }
      return { rows, complete: false };
    },
    ledgerSeconds,
  );
}
