import type { Txid } from '../../../domain/outpoint.ts';
import type { SeenHtlcCoin } from '../../../legs/onchain/events.ts';
import type { Event, Outcome, Step } from '../../machine.ts';
import { stepTo } from '../answer.ts';

/*
 * What takes a coin by the key of both although we never signed for it: whoever made it has our private key. The owner
 * hears of each once, whichever side of the swap we are.
 */

/** A state that notes the one of which the owner was told. */
interface Noting {
  readonly byKey?: Txid;
}

/** Of one coin; null where there is none. */
export function foreignSpend(coin: SeenHtlcCoin | null): Txid | null {
  const spend = coin?.spend ?? null;
  return spend?.by === 'key' && spend.purpose === null ? spend.txid : null;
}

/** Of any coin at the script, for a side that goes by whatever lies there. */
export function foreignAmong(coins: readonly SeenHtlcCoin[]): Txid | null {
  return coins.map(foreignSpend).find((one) => one !== null) ?? null;
}

/** The owner is told of it; null where there is none, or it was told. */
export function whenForeign<P extends Noting>(p: P, txid: Txid | null): Step<P> | null {
  return txid === null || p.byKey === txid ? null : stepTo<P>({ ...p, byKey: txid }, { flag: foreignFlag(txid) });
}

/** The same beside what the event comes to otherwise: no state that follows forgets it. */
export function withForeign<P extends Noting>(p: P, event: Event, outcome: Outcome<P>): Outcome<P> {
  const txid = event.is === 'htlc.seen' ? foreignAmong(event.coins) : null;
  const alarm = whenForeign(p, txid);
  if (outcome === 'stay' || txid === null) return alarm ?? outcome;
  const flag = alarm === null ? {} : { flag: foreignFlag(txid) };
  return { ...outcome, ...flag, progress: { ...outcome.progress, byKey: txid } };
}

/** For a person: nothing but a stolen or copied key makes it. */
function foreignFlag(txid: Txid): string {
  return (
    `${txid} took a coin of this swap by the MuSig2 key of both, and this node never signed for that: ` +
    'somebody has a private key of ours, or the note of our partial signature was lost. ' +
    'See where the words of this node are kept, and whether another copy of its folder runs.'
  );
}
