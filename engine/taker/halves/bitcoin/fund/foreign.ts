import { foreignFlag, foreignSpend } from '../../../../swap/halves/bitcoin/cosign.ts';
import { stepTo } from '../../../../swap/halves/answer.ts';
import type { Event, Outcome } from '../../../../swap/machine.ts';
import type { Base } from './terms.ts';

/** The owner hears once of what takes a coin by the key of both although we never signed for it. */
export function withForeign<P extends Base>(p: P, event: Event, outcome: Outcome<P>): Outcome<P> {
  const txid = event.is === 'htlc.seen' ? event.coins.map(foreignSpend).find((one) => one !== null) : undefined;
  if (txid === undefined || txid === null || p.byKey === txid) return outcome;
  const along = { flag: foreignFlag(txid) };
  return outcome === 'stay'
    ? stepTo<P>({ ...p, byKey: txid }, along)
    : { ...outcome, ...along, progress: { ...outcome.progress, byKey: txid } };
}
