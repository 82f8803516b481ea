import { useDeferredValue, useEffect, useState } from 'react';
import { ActButton } from '../../parts/act-button.tsx';
import { Empty, Loading } from '../../parts/empty.tsx';
import { TextField } from '../../parts/field.tsx';
import { FoldTable } from '../../parts/fold-table.tsx';
import { Note } from '../../parts/note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { client } from '../../stores/records.ts';
import { useReading } from '../../stores/reading.ts';
import { hrefTo } from '../../stores/route.ts';
import { boardWords } from '../../words/board-words.ts';
import { listColumns } from './columns.tsx';
import type { SwapLine } from './swap-lines.ts';

const pageSize = 50;

async function pageOf(text: string, cursor: string | null) {
  const query = { limit: pageSize, ...(text === '' ? {} : { q: text }), ...(cursor === null ? {} : { cursor }) };
  return client().call('ownerSwaps', { query });
}

/**
 * Everything that the node did for clients and for itself, newest first; page after page, as far back as there is any.
 */
export function NodeSwaps() {
  const [typed, setTyped] = useState('');
  const text = useDeferredValue(typed.trim());
  const { value: first, trouble } = useReading(text, () => pageOf(text, null));
  const [older, setOlder] = useState<{ rows: readonly SwapLine[]; next: string | null } | null>(null);
  useEffect(() => setOlder(null), [text]);
  const next = older === null ? (first?.next_cursor ?? null) : older.next;
  const more = async () => {
    const page = await pageOf(text, next);
    setOlder({ rows: [...(older?.rows ?? []), ...page.swaps], next: page.next_cursor });
  };
  const rows = first === null ? null : onceEach([...first.swaps, ...(older?.rows ?? [])]);
  return (
    <>
      <PageHead
        title={boardWords.listTitle}
        lead={boardWords.listLead}
        back={{ href: hrefTo('board'), label: boardWords.title }}
      />
      <div className="mb-4 max-w-xl">
        <TextField label={boardWords.find} hint={boardWords.findHint} type="search" value={typed} onText={setTyped} />
      </div>
      {trouble === null ? null : (
        <Note tone="need" alert>
          {trouble}
        </Note>
      )}
      {rows === null ? (
        <Loading rows={8} />
      ) : (
        <FoldTable
          caption={boardWords.listCaption}
          columns={listColumns}
          rows={rows}
          keyOf={({ id }) => id}
          hot={({ flagged }) => flagged}
          empty={
            <Empty icon="list" title={boardWords.noMatch}>
              {text === '' ? boardWords.noneMeans : boardWords.noMatchMeans}
            </Empty>
          }
        />
      )}
      {next === null ? null : (
        <p className="row mt-4">
          <ActButton act={more}>{boardWords.more}</ActButton>
        </p>
      )}
    </>
  );
}

/** A swap that began while one was reading stands on two pages. */
function onceEach(rows: readonly SwapLine[]): SwapLine[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}
