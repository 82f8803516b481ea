import { figureText } from '../../format/amount.ts';
import { Empty } from '../../parts/empty.tsx';
import { FoldTable } from '../../parts/fold-table.tsx';
import { hrefTo } from '../../stores/route.ts';
import { boardWords } from '../../words/board-words.ts';
import { openColumns } from './columns.tsx';
import { standingOf, type SwapLine } from './swap-lines.ts';

/** What is open, least time to spare first; `all` that are, where not every one is here. */
export function OpenSwaps({ all, lines, age }: { all: number; lines: readonly SwapLine[]; age: number }) {
  return (
    <section className="section" aria-labelledby="board-open">
      <div className="row apart">
        <h2 id="board-open">{boardWords.timeToTimeout}</h2>
        <a href={hrefTo('board', 'all')}>{boardWords.allSwaps}</a>
      </div>
      <FoldTable
        caption={boardWords.locksCaption}
        columns={openColumns(age)}
        rows={lines}
        keyOf={({ id }) => id}
        hot={(line) => ['hand', 'late'].includes(standingOf(line, age))}
        empty={
          <Empty icon="safe" title={boardWords.none}>
            {boardWords.noneMeans}
          </Empty>
        }
      />
      {lines.length === all ? null : (
        <p className="hint mt-3">
          {boardWords.shownOf(figureText(String(lines.length), 0), figureText(String(all), 0))}
        </p>
      )}
    </section>
  );
}
