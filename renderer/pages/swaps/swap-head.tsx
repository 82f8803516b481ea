import type { ReactNode } from 'react';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { sidesOf } from '../../format/sides.ts';
import { Moment } from '../../parts/moment.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pill } from '../../parts/status.tsx';
import { standingOf, stepOf } from '../../records/standing.ts';
import { useReached } from '../../stores/reached.ts';
import { hrefTo } from '../../stores/route.ts';
import { words } from '../../words/words.ts';

/** What is happening now as the heading, the deal below it, and whether anything is to be done. */
export function SwapHead({ swap, title, children }: { swap: TakerSwap; title?: ReactNode; children?: ReactNode }) {
  const sides = sidesOf(swap);
  return (
    <PageHead
      back={{ href: hrefTo('activity'), label: words.oneSwap.back }}
      title={title ?? words.oneSwap.stepHeadings[stepOf(swap)](sides)}
      lead={
        <>
          {words.oneSwap.sides(sides.give, sides.giveOn, sides.get, sides.getOn)} {words.oneSwap.started}{' '}
          <Moment at={swap.created} />.
        </>
      }
    >
      {children ?? <Attention swap={swap} />}
    </PageHead>
  );
}

function Attention({ swap }: { swap: TakerSwap }) {
  const reached = useReached();
  if (!swap.open) return null;
  if (!reached) return <Pill tone="need">{words.oneSwap.noAnswer}</Pill>;
  const { tone } = standingOf(swap);
  if (tone === 'danger') return <Pill tone="danger">{words.oneSwap.needsYouNow}</Pill>;
  if (tone === 'need') return <Pill tone="need">{words.oneSwap.needsYou}</Pill>;
  return <Pill tone="wait">{words.oneSwap.nothingToDo}</Pill>;
}
