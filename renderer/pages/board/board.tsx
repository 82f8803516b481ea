import type { OwnerStatus } from '../../../engine/contract/owner/status.ts';
import { Loading } from '../../parts/empty.tsx';
import { Note } from '../../parts/note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useAge } from '../../stores/now.ts';
import { useRecords } from '../../stores/records.ts';
import { boardWords } from '../../words/board-words.ts';
import type { SwapLine } from './swap-lines.ts';
import { useHoldings } from '../wallets/use-holdings.ts';
import { Alerts } from './alert-list.tsx';
import { Differences } from './differences.tsx';
import { Earned } from './earned.tsx';
import { Figures } from './figures.tsx';
import { Liquidity } from './liquidity.tsx';
import { OpenSwaps } from './open-swaps.tsx';
import { GuardNote, Running } from './running.tsx';
import { mostOpen, useOpenLines } from './use-board.ts';

/** What is at risk until when, what is wrong, what is earned. */
export function Board() {
  const { value: lines, trouble } = useOpenLines();
  const status = useRecords((state) => state.status);
  const own = useRecords((state) => state.counts?.open ?? 0);
  const age = useAge();
  const { holdings, trouble: away } = useHoldings();
  return (
    <>
      <PageHead title={boardWords.title}>{status === null ? null : <Running status={status} />}</PageHead>
      {status?.paused?.by === 'guard' ? <GuardNote paused={status.paused} /> : null}
      <Differences holdings={holdings} />
      {trouble === null ? null : (
        <Note tone="need" alert>
          {trouble}
        </Note>
      )}
      {lines === null || status === null ? (
        trouble === null ? (
          <Loading rows={8} />
        ) : null
      ) : (
        <>
          <Figures status={status} all={openOf(status, own, lines)} lines={lines} age={age} />
          <Alerts status={status} lines={lines} age={age} />
          <OpenSwaps all={openOf(status, own, lines)} lines={lines} age={age} />
        </>
      )}
      <div className="halves uneven section">
        <Liquidity holdings={holdings} trouble={away} />
        <Earned holdings={holdings} />
      </div>
    </>
  );
}

/**
 * Of the node alone: what its owner swaps stands under Activity. Not counted one by one where there are more than were
 * read.
 */
export function openOf(status: Pick<OwnerStatus, 'open_swaps'>, own: number, lines: readonly SwapLine[]): number {
  return lines.length < mostOpen ? lines.length : Math.max(status.open_swaps - own, lines.length);
}
