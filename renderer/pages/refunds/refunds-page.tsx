import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { Empty, Loading } from '../../parts/empty.tsx';
import { FoldTable } from '../../parts/fold-table.tsx';
import { Note } from '../../parts/note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Status, type Tone } from '../../parts/status.tsx';
import { canComeBack } from '../../records/payment.ts';
import { useRecords } from '../../stores/records.ts';
import { words } from '../../words/words.ts';
import { columns } from './columns.tsx';
import { refundGroups, type RefundGroups } from './groups.ts';
import { Rescue } from './rescue.tsx';
import { useOpenSwaps } from './use-open-swaps.ts';

interface Head {
  readonly tone: Tone;
  readonly title: string;
}

/** What the swaps of a group have in common; safe is what stands where it can be taken back, each of it. */
function headOf(name: keyof RefundGroups, swaps: readonly TakerSwap[]): Head {
  const { needsYou, byItself, inProgress, inProgressSafe } = words.refunds;
  if (name === 'needsYou') return { tone: 'need', title: needsYou };
  if (name === 'byItself') return { tone: 'wait', title: byItself };
  return swaps.every((swap) => canComeBack(swap) && swap.attention !== 'danger')
    ? { tone: 'safe', title: inProgressSafe }
    : { tone: 'wait', title: inProgress };
}

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
        <RefundTables groups={groups} />
      )}
      <Rescue />
    </>
  );
}

/** Each group that has any, under what is to be done for it. */
export function RefundTables({ groups }: { groups: RefundGroups }) {
  return (['needsYou', 'byItself', 'inProgress'] as const)
    .filter((name) => groups[name].length > 0)
    .map((name) => {
      const { tone, title } = headOf(name, groups[name]);
      return (
        <section key={name} className="refund-group" aria-label={title}>
          <h2>
            <Status tone={tone}>{title}</Status>
          </h2>
          <FoldTable
            className="refunds"
            caption={words.refunds.caption(title)}
            columns={columns}
            rows={groups[name]}
            keyOf={(swap) => swap.id}
            hot={(swap) => swap.attention === 'danger'}
          />
        </section>
      );
    });
}
