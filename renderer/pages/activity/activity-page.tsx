import { useDeferredValue, useMemo, useState } from 'react';
import { handOver } from '../../client/hand-over.ts';
import { figureText } from '../../format/amount.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Empty, Loading } from '../../parts/empty.tsx';
import { Note } from '../../parts/note.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { VirtualTable } from '../../parts/virtual-table.tsx';
import { useActing } from '../../stores/acting.ts';
import { useRecords } from '../../stores/records.ts';
import { hrefTo } from '../../stores/route.ts';
import { words } from '../../words/words.ts';
import { columns } from './columns.tsx';
import { csvOf } from './csv.ts';
import { everything, isNarrowed, countOf, type Narrowing } from './list.ts';
import { NarrowForm } from './narrow-form.tsx';
import { allSwaps, useSwapList, type SwapList } from './use-list.ts';

/** Every swap of one's own: what is open, and what to do next. */
export function ActivityPage() {
  const [typed, setTyped] = useState<Narrowing>(everything);
  const text = useDeferredValue(typed.text.trim());
  const narrowing = useMemo(
    () => ({ text, show: typed.show, network: typed.network }),
    [text, typed.show, typed.network],
  );
  const list = useSwapList(narrowing);
  const ofFrame = useRecords((state) => state.trouble);
  const { busy, outcome, run } = useActing();
  const save = () =>
    run('csv', async () => {
      const swaps = await allSwaps(narrowing);
      const how = await handOver('sluice-swaps.csv', csvOf(swaps), 'text/csv');
      const count = figureText(String(swaps.length), 0);
      return how === 'saved' ? words.activity.saved(count) : words.activity.copied(count);
    });
  const empty = list.rows?.length === 0 && !isNarrowed(narrowing);
  return (
    <>
      <PageHead title={words.shell.activity}>
        {empty ? null : (
          <Button icon="down" busy={busy !== null} onPress={() => void save()}>
            {words.activity.saveCsv}
          </Button>
        )}
      </PageHead>
      {empty ? null : <NarrowForm narrowing={typed} onNarrow={setTyped} counts={list.counts} />}
      <Outcome outcome={outcome} />
      {list.trouble === null || list.trouble === ofFrame ? null : (
        <Note tone="need" alert>
          {list.trouble}
        </Note>
      )}
      <Rows list={list} narrowing={narrowing} onClear={() => setTyped(everything)} />
    </>
  );
}

function Rows({ list, narrowing, onClear }: { list: SwapList; narrowing: Narrowing; onClear: () => void }) {
  const { rows, counts, complete, more } = list;
  if (rows === null) return list.trouble === null ? <Loading rows={7} /> : null;
  if (rows.length === 0 && !isNarrowed(narrowing))
    return (
      <Empty
        icon="swap"
        title={words.activity.none}
        action={
          <ButtonLink kind="main" href={hrefTo('swap')}>
            {words.activity.start}
          </ButtonLink>
        }
      >
        {words.activity.noneMeans}
      </Empty>
    );
  if (rows.length === 0)
    return (
      <Empty
        icon="search"
        title={narrowing.text === '' ? words.activity.noMatchHere : words.activity.noMatch(narrowing.text)}
        action={<Button onPress={onClear}>{words.activity.clear}</Button>}
      >
        {words.activity.noMatchMeans}
      </Empty>
    );
  const counted = narrowing.text === '' && narrowing.network === '' ? countOf(counts, narrowing.show) : null;
  const total = complete ? rows.length : Math.max(rows.length, counted ?? 0);
  return (
    <>
      <div className="swaps-list">
        <VirtualTable
          caption={words.activity.caption}
          columns={columns}
          rows={rows}
          keyOf={(swap) => swap.id}
          hot={(swap) => swap.open && swap.attention === 'danger'}
          total={total}
          onEnd={more}
        />
      </div>
      <p className="hint mt-4">
        {complete
          ? words.activity.shownAll(figureText(String(rows.length), 0))
          : words.activity.shownOf(
              figureText(String(rows.length), 0),
              counted === null ? '…' : figureText(String(counted), 0),
            )}
      </p>
    </>
  );
}
