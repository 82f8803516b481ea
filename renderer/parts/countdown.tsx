import { useRef, type ReactNode } from 'react';
import { spanText } from '../format/span.ts';
import { words } from '../words/words.ts';

/** When who listens is told how long is left. */
const spokenMinutes = [10, 5, 1];

/** Seconds until a moment, new every second. Silent; a polite region beside it speaks at ten, five and one minutes. */
export function Countdown({ left, over }: { left: number; over?: ReactNode }) {
  return (
    <>
      <span role="timer" className="num">
        {left > 0 || over === undefined ? spanText(Math.max(0, left)) : over}
      </span>
      <Spoken left={left} />
    </>
  );
}

function Spoken({ left }: { left: number }) {
  const first = useRef(left);
  const minute = spokenMinutes.findLast((one) => left <= one * 60 && first.current > one * 60);
  return (
    <span className="sr" aria-live="polite">
      {minute === undefined || left <= 0 ? '' : words.parts.minutesLeft(minute)}
    </span>
  );
}
