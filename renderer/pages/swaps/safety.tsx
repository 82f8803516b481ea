import type { ReactNode } from 'react';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { momentText } from '../../format/moment.ts';
import { Moment } from '../../parts/moment.tsx';
import { Note } from '../../parts/note.tsx';
import { words } from '../../words/words.ts';

interface Seen {
  readonly swap: TakerSwap;
  /** Seconds since the node told it. */
  readonly age: number;
  /** When a node told it that does not answer any more; null while it answers. */
  readonly heardAt: number | null;
}

/**
 * What is certain of the money, by what was seen of it; while the node does not answer, what was certain when it did.
 */
export function Safety(seen: Seen) {
  const { swap, heardAt } = seen;
  if (swap.attention === 'danger') return <Danger {...seen} />;
  const because = becauseOf(swap);
  if (heardAt !== null)
    return (
      <Note tone="need" title={words.oneSwap.asOf(momentText(heardAt))}>
        {because}
        {whileStopped(seen)}
      </Note>
    );
  const tone = because !== '' ? (swap.attention === 'needs-you' ? 'need' : 'wait') : toneOf(swap);
  return (
    <Note tone={tone}>
      {because}
      {promiseOf(seen)}
    </Note>
  );
}

function Danger({ swap: { times, refund, ...swap }, heardAt }: Seen) {
  const act = heardAt !== null ? words.oneSwap.startNow : null;
  // While it is claimed, what could come back beside it is not what is in danger.
  const isTakenBack = refund.state === 'possible' && swap.phase !== 'claim';
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
      {becauseOf(swap)}
      {act ?? (isTakenBack ? words.oneSwap.dangerAct : words.oneSwap.dangerMeans)}
    </Note>
  );
}

/** Why it is not as usual, in a sentence of ours. */
function becauseOf({ reason }: Pick<TakerSwap, 'reason'>): string {
  return reason === null ? '' : `${words.oneSwap.reasons[reason]} `;
}

function toneOf({ phase, paid: { state } }: TakerSwap): 'safe' | 'wait' {
  return state === 'stands' || (state === 'told' && phase !== 'creating') || phase === 'claim' ? 'safe' : 'wait';
}

function promiseOf(seen: Seen): ReactNode {
  const { swap } = seen;
  const { phase, paid, turn, give } = swap;
  const says = words.oneSwap;
  if (phase === 'creating') return says.creating;
  if (phase === 'claim') return says.safeClaim;
  switch (paid.state) {
    case 'none':
      return turn.step === 'look' ? says.looking : <Unpaid {...seen} />;
    case 'leaving':
      return give.network.startsWith('evm:') ? says.leaving.account : says.leaving.wallet;
    case 'told':
      return turn.step === 'payment-returns' ? says.safeBack : says.safeReturns;
    case 'unclear':
      return says.unclear;
    case 'taken':
      return says.taken;
    case 'back':
      return says.cameBack;
    case 'stands':
      return <LockedFunds {...seen} />;
  }
}

/** It stands at its place: from when on it can be taken back with nobody's help. */
function LockedFunds({ swap: { phase, times }, age }: Seen) {
  const alone = times.refund_alone_from;
  if (alone === null) return words.oneSwap.stands;
  if (times.now !== null && alone <= times.now + age) return words.oneSwap.safeOpen;
  return <From sentence={phase === 'refund' ? words.oneSwap.safeBackFrom : words.oneSwap.safe} at={alone} />;
}

/** Nothing was seen, and nothing is wanted any more: what comes of it if something is paid all the same. */
function Unpaid({ swap: { times, give } }: Seen) {
  const alone = times.refund_alone_from;
  return (
    <>
      {words.oneSwap.neverPaid}{' '}
      {give.network === 'lightning' || alone === null ? (
        words.oneSwap.paidAllTheSame
      ) : (
        <From sentence={words.oneSwap.paidAllTheSameFrom} at={alone} />
      )}
    </>
  );
}

/** Nothing goes on then: what stands stays where it is, and every date keeps. */
function whileStopped({ swap: { paid, phase, times } }: Seen): ReactNode {
  const says = words.oneSwap;
  if (paid.state === 'none') return says.stopped.none;
  if (paid.state === 'stands' && phase !== 'claim' && times.refund_alone_from !== null)
    return (
      <>
        <From sentence={says.stopped.stands} at={times.refund_alone_from} /> {says.startIt}
      </>
    );
  return `${says.stopped.moving} ${says.startIt}`;
}

function From({ sentence, at }: { sentence: string; at: number }) {
  return (
    <>
      {sentence}{' '}
      <strong>
        <Moment at={at} />
      </strong>{' '}
      {words.oneSwap.alone}
    </>
  );
}
