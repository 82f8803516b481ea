import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { shown } from '../../format/amount.ts';
import { momentText } from '../../format/moment.ts';
import type { Column } from '../../parts/fold-table.tsx';
import { Figure } from '../../parts/figure.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Status } from '../../parts/status.tsx';
import { NetworkPair } from '../../parts/pair.tsx';
import { gaveOf, gotOf } from '../../records/payment.ts';
import { isAsked, standingOf, stepOf } from '../../records/standing.ts';
import { hrefTo } from '../../stores/route.ts';
import { words } from '../../words/words.ts';

export const columns: readonly Column<TakerSwap>[] = [
  {
    key: 'started',
    head: words.activity.started,
    sort: 'descending',
    cell: ({ created }) => <Moment at={created} />,
  },
  {
    key: 'swap',
    head: words.activity.swap,
    rowHead: true,
    cell: ({ id, label, give, get }) => (
      <>
        <NetworkPair from={give.network} to={get.network} href={hrefTo('swaps', id)} />
        {label === null ? null : <span className="sub block break-words">{label}</span>}
        <span className="sub mono block">{id.slice(0, 8)}</span>
      </>
    ),
  },
  { key: 'gave', head: words.activity.gave, number: true, cell: (swap) => <SideFigure side={gaveOf(swap)} /> },
  { key: 'got', head: words.activity.got, number: true, cell: (swap) => <SideFigure side={gotOf(swap)} /> },
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

/** The figures stand in one column, their units below them. */
function SideFigure({ side }: { side: TakerSwap['give'] }) {
  const { amount, decimals, symbol } = shown(side);
  return (
    <>
      <Figure amount={amount} decimals={decimals} />
      <span className="sub block">{symbol}</span>
    </>
  );
}

/** What happens next, or where to go. */
function Next({ swap }: { swap: TakerSwap }) {
  const { id, open, outcome, phase, attention, turn, paid } = swap;
  const { next, until, from, receipt, payIt, look, again, nothingPaid, notLocked, paying, unseenPaid } = words.activity;
  if (!open && (outcome === 'unpaid' || outcome === 'refused'))
    return (
      <span className="sub">
        {paid.state === 'none' ? nothingPaid : unseenPaid} <a href={hrefTo('swap')}>{again}</a>
      </span>
    );
  if (!open)
    return (
      <span className="sub">
        <a href={hrefTo('swaps', id)}>{receipt}</a>
      </span>
    );
  const isWanted = isAsked(swap);
  const sentence = isWanted || turn.step !== 'pay' ? next[stepOf(swap)] : phase === 'pay' ? notLocked : paying;
  const dated = turn.step === 'await-refund' ? from : until;
  return (
    <span className="sub">
      {turn.until === null ? sentence : dated(sentence, momentText(turn.until))}{' '}
      {phase === 'pay' || attention !== 'waiting' ? <a href={hrefTo('swaps', id)}>{isWanted ? payIt : look}</a> : null}
    </span>
  );
}
