import { Empty, Loading } from '../../parts/empty.tsx';
import { FoldTable } from '../../parts/fold-table.tsx';
import { Note } from '../../parts/note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Status, type Tone } from '../../parts/status.tsx';
import { useRecords } from '../../stores/records.ts';
import { words } from '../../words/words.ts';
import { columns } from './columns.tsx';
import { refundGroups } from './groups.ts';
import { Rescue } from './rescue.tsx';
import { useOpenSwaps } from './use-open-swaps.ts';

const tones = { needsYou: 'need', byItself: 'wait', inProgress: 'safe' } as const satisfies Record<string, Tone>;

/** What comes back, when, and why not now. */
export function RefundsPage() {
  const { swaps, trouble } = useOpenSwaps();
  const ofFrame = useRecords((state) => state.trouble);
  const groups = refundGroups(swaps ?? []);
  const none = Object.values(groups).every((group) => group.length === 0);
  return (
    <>
      <PageHead title={words.refunds.title} lead={words.refunds.lead} />
      {trouble === null || trouble === ofFrame ? null : (
        <Note tone="need" alert>
          {trouble}
        </Note>
      )}
      {swaps === null ? (
        <Loading rows={5} />
      ) : none ? (
        <Empty icon="safe" title={words.refunds.none}>
          {words.refunds.noneMeans}
        </Empty>
      ) : (
        (['needsYou', 'byItself', 'inProgress'] as const)
          .filter((name) => groups[name].length > 0)
          .map((name) => (
            <section key={name} className="refund-group" aria-label={words.refunds[name]}>
              <h2>
                <Status tone={tones[name]}>{words.refunds[name]}</Status>
              </h2>
              <FoldTable
                className="refunds"
                caption={words.refunds.caption(words.refunds[name])}
                columns={columns}
                rows={groups[name]}
                keyOf={(swap) => swap.id}
                hot={(swap) => swap.attention === 'danger'}
              />
            </section>
          ))
      )}
      <Rescue />
    </>
  );
}
