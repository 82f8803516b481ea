import { useRecords } from './records.ts';

/** Whether the node answered the last look at it: what is pressed while it does not is not done. */
export function useReached(): boolean {
  return useRecords((state) => state.trouble === null);
}

/** When a node that does not answer was last heard, by the clock that every page goes by; null while it answers. */
export function useHeardAt(): number | null {
  return useRecords(({ trouble, readAt, sandbox }) => (trouble === null ? null : (sandbox?.clock ?? readAt ?? 0)));
}
