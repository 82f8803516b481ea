import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { amountText } from '../../format/amount.ts';
import { momentText } from '../../format/moment.ts';
import { spanText } from '../../format/span.ts';
import { ActButton } from '../../parts/act-button.tsx';
import type { Column } from '../../parts/fold-table.tsx';
import { Moment } from '../../parts/moment.tsx';
import { NetworkPair } from '../../parts/pair.tsx';
import { comesBackOf } from '../../records/payment.ts';
import { isComingBack, stepOf } from '../../records/standing.ts';
import { useAge } from '../../stores/now.ts';
import { client, useRecords } from '../../stores/records.ts';
import { hrefTo } from '../../stores/route.ts';
import { words } from '../../words/words.ts';

const { what, howMuch, when, whyHead, action } = words.refunds;

export const columns: readonly Column<TakerSwap>[] = [
  {
    key: 'what',
    head: what,
    rowHead: true,
    whole: true,
    cell: ({ id, give, get, created }) => (
      <>
        <NetworkPair from={give.network} to={get.network} href={hrefTo('swaps', id)} />
        <span className="sub">
          <Moment at={created} />
        </span>
      </>
    ),
  },
  { key: 'howMuch', head: howMuch, label: howMuch, number: true, cell: (swap) => amountText(comesBackOf(swap)) },
  { key: 'when', head: when, label: when, cell: (swap) => <When swap={swap} /> },
  { key: 'why', head: whyHead, label: whyHead, cell: (swap) => <Why swap={swap} /> },
  {
    key: 'act',
    head: <span className="sr">{action}</span>,
    number: true,
    whole: true,
    cell: (swap) => <Act swap={swap} />,
  },
];

/** In the time of the chain that judges it, not of this machine. */
function useChainTime({ times: { now } }: TakerSwap): number | null {
  const age = useAge();
  return now === null ? null : now + age;
}

function When({ swap }: { swap: TakerSwap }) {
  const now = useChainTime(swap);
  const { refund, times, turn } = swap;
  if (refund.state === 'possible')
    return (
      <>
        {words.refunds.now}
        <span className="sub">
          {times.last === null ? words.refunds.noLastDate : words.refunds.lastDate(momentText(times.last))}
        </span>
      </>
    );
  if (refund.why === 'nothing-paid') return words.refunds.unknown;
  const from = refund.from ?? turn.until;
  if (from === null) return words.refunds.unknown;
  return (
    <>
      {refund.from === null ? `${words.refunds.after} ` : null}
      <Moment at={from} />
      {now === null || from <= now ? null : <span className="sub">{words.refunds.inSpan(spanText(from - now))}</span>}
    </>
  );
}

/** What is on its way and not at its place yet is not said to be nowhere. */
function whyOf(swap: TakerSwap): string {
  const { why } = swap.refund;
  if (why === null) return words.activity.next[stepOf(swap)];
  if (why !== 'nothing-paid') return words.oneSwap.whys[why];
  return swap.paid.state === 'leaving' ? words.oneSwap.ifNotLeft : words.oneSwap.ifNotUnclear;
}

function Why({ swap }: { swap: TakerSwap }) {
  const { reason } = swap;
  return (
    <div className="sub">
      {whyOf(swap)}
      {reason === null ? null : <span className="block">{words.oneSwap.reasons[reason]}</span>}
    </div>
  );
}

function Act({ swap }: { swap: TakerSwap }) {
  const { refund, attention } = swap;
  if (refund.state === 'running') return <span className="sub">{words.refunds.running}</span>;
  if (refund.state === 'none' || refund.state === 'done') return <span className="sub">{words.refunds.nothing}</span>;
  const notYet =
    refund.state === 'possible'
      ? null
      : refund.from !== null && (isComingBack(swap) || refund.why !== 'in-progress')
        ? words.refunds.notBefore(momentText(refund.from))
        : words.refunds.notWhile;
  return (
    <ActButton
      kind={refund.state === 'possible' && attention !== 'waiting' ? 'main' : 'other'}
      name={words.refunds.takeBackThing(amountText(comesBackOf(swap)))}
      notYet={notYet}
      act={async () => {
        await client().call('refundTakerSwap', { params: { id: swap.id }, body: {} });
        await useRecords.getState().look();
      }}
    >
      {words.refunds.takeBack}
    </ActButton>
  );
}
