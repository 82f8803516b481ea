import type { Acting } from '../stores/acting.ts';
import { Status } from './status.tsx';

/** What came of an act, spoken to who listens. */
export function Outcome({ outcome }: Pick<Acting, 'outcome'>) {
  return (
    <p role="status" className="mt-4 empty:hidden">
      {outcome === null ? null : <Status tone={outcome.went === 'well' ? 'safe' : 'need'}>{outcome.sentence}</Status>}
    </p>
  );
}
