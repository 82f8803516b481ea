import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { sidesOf } from '../../format/sides.ts';
import { Moment } from '../../parts/moment.tsx';
import { Steps, type Step } from '../../parts/steps.tsx';
import { words } from '../../words/words.ts';

/** The way through this swap; before it is paid, what happens if it stops stands last. */
export function SwapSteps({ swap, ifStops = false }: { swap: TakerSwap; ifStops?: boolean }) {
  const sides = sidesOf(swap);
  const until = swap.turn.until;
  const steps = swap.steps.map(({ step, state, time }): Step => ({
    key: step,
    title: words.oneSwap.stepTitles[step](sides, step === 'pay' ? isPaid(swap, state) : state === 'done'),
    state,
    yours: state === 'current' && (swap.turn.who === 'you' || swap.turn.who === 'payer'),
    when:
      time !== null ? <Moment at={time} /> : state === 'current' && until !== null ? <Until at={until} /> : undefined,
  }));
  const alone = swap.times.refund_alone_from;
  const back: Step = {
    key: 'if-stops',
    title: words.oneSwap.ifStops,
    state: 'later',
    icon: 'back',
    when: alone === null ? undefined : <From at={alone} />,
  };
  return <Steps label={words.oneSwap.steps} steps={ifStops ? [...steps, back] : steps} />;
}

/** Said of what was seen: also of what came and waits to be locked, before its step is done. */
function isPaid({ paid, reason }: TakerSwap, state: Step['state']): boolean {
  return paid.state !== 'none' && (state === 'done' || reason === 'not-locked');
}

function Until({ at }: { at: number }) {
  return (
    <>
      {words.oneSwap.byBare} <Moment at={at} />
    </>
  );
}

function From({ at }: { at: number }) {
  return (
    <>
      {words.oneSwap.fromBare} <Moment at={at} />
    </>
  );
}
