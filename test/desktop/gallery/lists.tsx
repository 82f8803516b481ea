import { Cases } from '../../../renderer/parts/cases.tsx';
import { CostLine } from '../../../renderer/parts/costs.tsx';
import { Countdown } from '../../../renderer/parts/countdown.tsx';
import { Empty, Loading, Unreachable } from '../../../renderer/parts/empty.tsx';
import { FoldTable, type Column } from '../../../renderer/parts/fold-table.tsx';
import { Moment } from '../../../renderer/parts/moment.tsx';
import { Status } from '../../../renderer/parts/status.tsx';
import { Steps } from '../../../renderer/parts/steps.tsx';
import { VirtualTable } from '../../../renderer/parts/virtual-table.tsx';

interface Row {
  readonly id: number;
}

const columns: readonly Column<Row>[] = [
  { key: 'id', head: 'Swap', rowHead: true, whole: true, cell: ({ id }) => <Status tone="wait">Swap {id}</Status> },
  { key: 'until', head: 'Until', label: 'Until', cell: () => <Moment at={1_795_000_000} /> },
  { key: 'amount', head: 'Amount', label: 'Amount', number: true, cell: ({ id }) => `${id},000 sats` },
];
const few = [{ id: 1 }, { id: 2 }];
const many = Array.from({ length: 50_000 }, (_, id) => ({ id }));

export function Lists() {
  return (
    <section className="gap" aria-label="Lists">
      <Steps
        label="Steps"
        steps={[
          { key: 'a', title: 'You paid 1,250,000 sats on Arkade', when: '20:41:07', detail: 'Final.', state: 'done' },
          { key: 'b', title: 'You claim', when: 'until 21:11', state: 'current', yours: true },
          { key: 'c', title: 'Sluice claims', state: 'later' },
        ]}
      />
      <CostLine open total="4,209 sats" share="0.34%" parts={[{ key: 's', label: 'Service', amount: '3,125 sats' }]} />
      <Cases
        id="cases"
        cases={[
          { key: 'u', tone: 'safe', title: 'Usually', time: '25 seconds', means: 'Costs 4,209 sats.' },
          { key: 'w', tone: 'need', title: 'Worst case', time: '3 days', means: 'Costs at most 14,800 sats.' },
        ]}
      />
      <FoldTable caption="Swaps" columns={columns} rows={few} keyOf={({ id }) => `${id}`} hot={({ id }) => id === 2} />
      <VirtualTable caption="Many" columns={columns} rows={many} keyOf={({ id }) => `${id}`} total={many.length} />
      <Empty icon="back" title="Nothing to take back">
        What can be taken back stands here.
      </Empty>
      <Loading />
      <Unreachable sentence="The node does not answer: is it still running?" heardAt={1_795_000_000} />
      <p>
        <Countdown left={301} />
      </p>
    </section>
  );
}
