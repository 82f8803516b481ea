import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { networkName } from '../../format/networks.ts';
import { spanText } from '../../format/span.ts';
import { FoldTable, type Column } from '../../parts/fold-table.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Status } from '../../parts/status.tsx';
import { canComeBack } from '../../records/payment.ts';
import { stepOf } from '../../records/standing.ts';
import { words } from '../../words/words.ts';

interface Turn {
  readonly key: string;
  readonly yours: boolean;
  readonly who: string;
  readonly what: string;
  readonly until: number | null;
  readonly left: number | null;
  readonly ifNot: string;
}

/** Who is waited for now, and when nobody has to be waited for any more. */
export function WhoWaits({ swap, age }: { swap: TakerSwap; age: number }) {
  return (
    <section className="section" aria-labelledby="who-waits">
      <h2 id="who-waits">{words.oneSwap.whoWaits}</h2>
      <FoldTable
        caption={words.oneSwap.whoWaitsCaption}
        columns={columns}
        rows={turnsOf(swap, age)}
        keyOf={({ key }) => key}
      />
    </section>
  );
}

function turnsOf(swap: TakerSwap, age: number): readonly Turn[] {
  const { turn, times } = swap;
  const now = times.now === null ? null : times.now + age;
  const left = (until: number | null) => (until === null || now === null ? null : until - now);
  const alone = times.refund_alone_from;
  const first: Turn = {
    key: 'turn',
    yours: turn.who === 'you',
    who: actorOf(swap),
    what: words.oneSwap.turnActs[stepOf(swap)],
    until: turn.until,
    left: left(turn.until),
    ifNot: ifNotOf(swap),
  };
  // A date of what never stood there, or is the provider's by then, is none.
  if (alone === null || !canComeBack(swap)) return [first];
  if (turn.step === 'await-refund' || (now !== null && alone <= now)) return [first];
  const back: Turn = {
    key: 'alone',
    yours: false,
    who: words.oneSwap.actors.nobody,
    what: words.oneSwap.turnActs['await-refund'],
    until: alone,
    left: left(alone),
    ifNot: words.oneSwap.takesBackItself,
  };
  return [first, back];
}

/** Where nobody has to act it is the network that confirms. */
function actorOf({ turn: { who, step }, give, get }: TakerSwap): string {
  if (who === 'nobody' && step === 'confirm') return networkName(give.network);
  if (who === 'nobody' && step === 'confirm-lock') return networkName(get.network);
  return words.oneSwap.actors[who];
}

/** What was paid for a claim that was begun may be the provider's by then: no refund is promised any more. */
function ifNotOf({ attention, turn, paid, refund: { why } }: TakerSwap): string {
  const says = words.oneSwap;
  if (attention === 'danger') return says.danger;
  if (turn.step === 'claim') return says.ifNotClaimed;
  if (paid.state === 'none') return says.ifNotUnpaid;
  if (paid.state === 'leaving') return says.ifNotLeft;
  if (why === null || why === 'in-progress' || why === 'nothing-paid')
    return paid.state === 'stands' ? says.ifNot : says.ifNotUnclear;
  return says.whys[why];
}

const columns: readonly Column<Turn>[] = [
  {
    key: 'who',
    head: words.oneSwap.whoseTurn,
    rowHead: true,
    whole: true,
    cell: ({ yours, who }) => <Status tone={yours ? 'need' : 'wait'}>{who}</Status>,
  },
  { key: 'what', head: words.oneSwap.what, label: words.oneSwap.what, cell: ({ what }) => what },
  {
    key: 'until',
    head: words.oneSwap.until,
    label: words.oneSwap.until,
    cell: ({ until, left }) =>
      until === null ? (
        words.oneSwap.noDate
      ) : (
        <>
          <Moment at={until} />
          {left === null || left <= 0 ? null : <span className="sub">{words.parts.left(spanText(left))}</span>}
        </>
      ),
  },
  {
    key: 'if-not',
    head: words.oneSwap.whyNow,
    label: words.oneSwap.whyNow,
    cell: ({ ifNot }) => <span className="sub">{ifNot}</span>,
  },
];
