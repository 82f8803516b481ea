import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { nearText } from '../../format/moment.ts';
import type { Column } from '../../parts/fold-table.tsx';
import { Figure } from '../../parts/figure.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Status } from '../../parts/status.tsx';
import { Way } from '../../parts/way.tsx';
import { standingOf } from '../../records/standing.ts';
import { useClock } from '../../stores/now.ts';
import { hrefTo } from '../../stores/route.ts';
import { words } from '../../words/words.ts';

export const columns: readonly Column<TakerSwap>[] = [
  {
    key: 'started',
    head: words.activity.started,
    sort: 'descending',
    cell: ({ created }) => (
      <>
        <Moment at={created} as="clock" />
        <span className="sub block">
          <Moment at={created} as="date" />
        </span>
      </>
    ),
  },
  {
    key: 'swap',
    head: words.activity.swap,
    rowHead: true,
    cell: ({ id, give, get }) => (
      <>
        <Way from={give.network} to={get.network} href={hrefTo('swaps', id)} />
        <span className="sub mono block">{id.slice(0, 8)}</span>
      </>
    ),
  },
  { key: 'gave', head: words.activity.gave, number: true, cell: ({ give }) => <SideFigure side={give} /> },
  { key: 'got', head: words.activity.got, number: true, cell: ({ get }) => <SideFigure side={get} /> },
  {
    key: 'status',
    head: words.activity.status,
    cell: (swap) => {
      const { tone, word } = standingOf(swap);
      return <Status tone={tone}>{word}</Status>;
    },
  },
  { key: 'next', head: words.activity.nextHead, cell: (swap) => <Next swap={swap} /> },
];

function SideFigure({ side: { amount, decimals, symbol } }: { side: TakerSwap['give'] }) {
  return (
    <>
      <Figure amount={amount} decimals={decimals} /> <span className="sub">{symbol}</span>
    </>
  );
}

/** What happens next, or where to go. */
function Next({ swap: { id, open, outcome, phase, attention, turn } }: { swap: TakerSwap }) {
  const now = useClock();
  const { next, until, from, receipt, payIt, look, again, nothingPaid } = words.activity;
  if (!open && (outcome === 'unpaid' || outcome === 'refused'))
    return (
      <span className="sub">
        {nothingPaid} <a href={hrefTo('swap')}>{again}</a>
      </span>
    );
  if (!open)
    return (
      <span className="sub">
        <a href={hrefTo('swaps', id)}>{receipt}</a>
      </span>
    );
  const sentence = next[turn.step];
  const dated = turn.step === 'await-refund' ? from : until;
  return (
    <span className="sub">
      {turn.until === null ? sentence : dated(sentence, nearText(turn.until, now))}{' '}
      {phase === 'pay' || attention !== 'waiting' ? (
        <a href={hrefTo('swaps', id)}>{phase === 'pay' ? payIt : look}</a>
      ) : null}
    </span>
  );
}
