import type { OwnerSwap } from '../../../engine/contract/owner/swaps.ts';
import { handOver } from '../../client/hand-over.ts';
import { Button } from '../../parts/button.tsx';
import { FoldTable, type Column } from '../../parts/fold-table.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { useActing } from '../../stores/acting.ts';
import { boardWords } from '../../words/board-words.ts';

type Entry = OwnerSwap['journal'][number];

const columns: readonly Column<Entry & { readonly place: number }>[] = [
  {
    key: 'time',
    head: boardWords.time,
    rowHead: true,
    cell: ({ time }) => (
      <span className="nw num">
        <Moment at={time} />
      </span>
    ),
  },
  {
    key: 'state',
    head: boardWords.state,
    label: boardWords.state,
    cell: ({ from, to }) => <span className="mono">{from === to || from === '' ? to : `${from} → ${to}`}</span>,
  },
  { key: 'event', head: boardWords.happened, label: boardWords.happened, cell: ({ event }) => event },
  {
    key: 'effects',
    head: boardWords.did,
    label: boardWords.did,
    cell: ({ effects }) => <span className="sub">{effects.join(', ')}</span>,
  },
];

/** Every step of the swap in the engine's own names, newest first. */
export function Journal({ id, journal }: { id: string; journal: readonly Entry[] }) {
  const { busy, outcome, run } = useActing();
  const save = () =>
    run('journal', async () => {
      const how = await handOver(
        `sluice-swap-${id}.json`,
        JSON.stringify({ id, journal }, null, 2),
        'application/json',
      );
      return how === 'saved' ? boardWords.journalSaved : boardWords.journalCopied;
    });
  return (
    <section className="section" aria-labelledby="swap-journal">
      <div className="row apart">
        <h2 id="swap-journal">{boardWords.journal}</h2>
        <Button icon="down" size="small" busy={busy !== null} onPress={() => void save()}>
          {boardWords.saveJournal}
        </Button>
      </div>
      <Outcome outcome={outcome} />
      <FoldTable
        caption={boardWords.journalCaption}
        columns={columns}
        rows={journal.map((entry, place) => ({ ...entry, place })).toReversed()}
        keyOf={({ place }) => String(place)}
      />
    </section>
  );
}
