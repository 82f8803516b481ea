import type { Earnings } from '../../../engine/contract/owner/earnings.ts';
import type { LedgerRow } from '../../../engine/contract/owner/ledger.ts';
import { client } from '../../stores/records.ts';
import { useReading, type Reading } from '../../stores/reading.ts';
import type { SwapLine } from './swap-lines.ts';

/** More than one looks through; the list of all goes on page by page. */
export const mostOpen = 100;
const earningsSeconds = 60;

/** What is open, the most urgent first. */
export function useOpenLines(): Reading<readonly SwapLine[]> {
  return useReading(
    'open',
    async () => (await client().call('ownerSwaps', { query: { open: 'true', limit: mostOpen } })).swaps,
  );
}

/** What came of a time, by day and direction. It is read anew once a minute. */
export function useEarnings({ from, to }: { readonly from: number; readonly to: number }): Reading<Earnings> {
  return useReading(`${from} ${to}`, () => client().call('ownerEarnings', { query: { from, to } }), earningsSeconds);
}

/** Every line of the ledger of a time, page by page: as long as its history. */
export async function ledgerOf(time: { readonly from: number; readonly to: number }): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const answer: { rows: LedgerRow[]; next_cursor: string | null } = await client().call('ownerLedger', {
      query: { ...time, ...(cursor === '' ? {} : { cursor }) },
    });
    rows.push(...answer.rows);
    cursor = answer.next_cursor;
  }
  return rows;
}
