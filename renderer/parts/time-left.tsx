import { spanText } from '../format/span.ts';
import { useNow } from '../stores/clock.ts';

/** Time until a moment of this machine's clock. */
export function TimeLeft({ until }: { until: number }) {
  const left = until - useNow();
  return left > 0 ? (
    <>{spanText(left)} left</>
  ) : (
    <span className="text-bad">late by {spanText(-left) === 'now' ? 'moments' : spanText(-left)}</span>
  );
}
