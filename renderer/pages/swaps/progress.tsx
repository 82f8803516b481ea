import type { ReactNode } from 'react';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { spanText } from '../../format/span.ts';
import { Band } from '../../parts/band/band.tsx';
import type { ZoneName } from '../../parts/band/geometry.ts';
import { GoesTo } from '../../parts/destination.tsx';
import { refundNeedsYou } from '../../records/flight.ts';
import { isUnderWay } from '../../records/payment.ts';
import { bandTimesOf } from '../../records/taker-swap.ts';
import { useAge, useClock } from '../../stores/now.ts';
import { useHeardAt } from '../../stores/reached.ts';
import { words } from '../../words/words.ts';
import { Safety } from './safety.tsx';
import { SwapDetails } from './swap-details.tsx';
import { SwapHead } from './swap-head.tsx';
import { SwapSteps } from './swap-steps.tsx';
import { TakeBack } from './take-back.tsx';
import { WhoWaits } from './who-waits.tsx';

/** Is my money safe, whose turn is it, until when. */
export function Progress({ swap }: { swap: TakerSwap }) {
  const age = useAge();
  const clock = useClock();
  const heardAt = useHeardAt();
  const times = isUnderWay(swap) ? bandTimesOf(swap, age) : null;
  // What the owner is asked for stands before everything that explains it.
  const first = refundNeedsYou(swap);
  return (
    <>
      <SwapHead swap={swap} title={heardAt === null ? undefined : words.oneSwap.lastKnown} />
      <Safety swap={swap} age={age} heardAt={heardAt} />
      {first ? <TakeBack swap={swap} /> : null}
      {times === null ? null : (
        <Band times={times} clock={clock} title={bandTitle(swap, times.now)} means={meansOf(swap)}>
          {heardAt !== null
            ? words.oneSwap.stoppedBand
            : swap.attention === 'danger'
              ? words.oneSwap.dangerMeans
              : words.oneSwap.mayClose}
        </Band>
      )}
      <section className="section" aria-label={words.oneSwap.steps}>
        <SwapSteps swap={swap} />
      </section>
      {swap.phase === 'refund' ? null : <GoesTo swap={swap} />}
      {first ? null : <TakeBack swap={swap} />}
      {swap.phase === 'creating' || heardAt !== null ? null : <WhoWaits swap={swap} age={age} />}
      <SwapDetails swap={swap} />
    </>
  );
}

function bandTitle({ phase, times, refund, paid }: TakerSwap, now: number): string {
  const titles = words.oneSwap.bandTitle;
  const alone = times.refund_alone_from;
  if (phase === 'refund')
    return alone !== null && alone > now && refund.state !== 'running'
      ? titles.opens(spanText(alone - now))
      : titles.refund;
  if (phase === 'claim') return titles.claim;
  return paid.state === 'none' ? titles.wait : titles.flight;
}

/** While we claim, what can be lost is the other side's lock. */
function meansOf({ phase }: TakerSwap): Partial<Record<ZoneName, ReactNode>> {
  return phase === 'claim' ? { danger: words.band.dangerClaim } : {};
}
