import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { Moment } from '../../parts/moment.tsx';
import { Note } from '../../parts/note.tsx';
import { words } from '../../words/words.ts';

/** The promise while money is on its way: from when it can be taken back with nobody's help, or what is lost until when. */
export function Safety({ swap, age }: { swap: TakerSwap; age: number }) {
  const { attention, times, phase, reason, detail } = swap;
  const alone = times.refund_alone_from;
  const why = [
    ...(reason === null ? [] : [words.oneSwap.reasons[reason]]),
    ...(detail === null ? [] : [words.oneSwap.quoted(detail)]),
  ];
  const because = why.length === 0 ? '' : `${why.join(' ')} `;
  if (attention === 'danger')
    return (
      <Note
        tone="danger"
        alert
        title={
          times.last === null ? (
            words.oneSwap.danger
          ) : (
            <>
              {words.oneSwap.dangerUntil} <Moment at={times.last} />
            </>
          )
        }
      >
        {because}
        {swap.refund.state === 'possible' ? words.oneSwap.dangerAct : words.oneSwap.dangerMeans}
      </Note>
    );
  if (phase === 'creating') return <Note tone="wait">{words.oneSwap.creating}</Note>;
  if (phase === 'claim') return <Note tone="safe">{words.oneSwap.safeClaim}</Note>;
  if (alone === null)
    return <Note tone="safe">{phase === 'refund' ? words.oneSwap.safeBack : words.oneSwap.safeReturns}</Note>;
  const tone = because === '' ? 'safe' : attention === 'needs-you' ? 'need' : 'wait';
  if (times.now !== null && alone <= times.now + age)
    return (
      <Note tone={tone}>
        {because}
        {words.oneSwap.safeOpen}
      </Note>
    );
  return (
    <Note tone={tone}>
      {because}
      {phase === 'refund' ? words.oneSwap.safeBackFrom : words.oneSwap.safe}{' '}
      <strong>
        <Moment at={alone} />
      </strong>{' '}
      {words.oneSwap.alone}
    </Note>
  );
}
