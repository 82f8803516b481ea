import type { Txid } from '../../../../domain/outpoint.ts';
import type { EvmPurpose } from '../../../../legs/evm/acts.ts';
import { move, type Outcome, type EventOf } from '../../../machine.ts';
import type { Base, Sent } from './terms.ts';

/** A transaction of ours is on its way. */
export function sending({ sent }: Base, purpose: EvmPurpose, txid: Txid): readonly Sent[] {
  return sent.some((one) => one.txid === txid) ? sent : [...sent, { purpose, txid }];
}

/** A node took it: from now on its hash is told. Nothing else is new while its end is open. */
export function noted<P extends Base>(p: P, { txid, state }: EventOf<'evm.sent'>): Outcome<P> {
  if (state.is !== 'waiting' || state.taken === null) return 'stay';
  const { taken } = state;
  const isNew = p.sent.some((one) => one.txid === txid && one.taken !== taken);
  return isNew ? move<P>({ ...p, sent: p.sent.map((one) => (one.txid === txid ? { ...one, taken } : one)) }) : 'stay';
}

/**
 * The hash of a transaction, as somebody else can look it up by now: null while it is ours alone. What is no longer on
 * its way was mined.
 */
export function hashOf({ sent }: { readonly sent?: readonly Sent[] }, txid: Txid | null): Txid | null {
  const own = sent?.find((one) => one.txid === txid);
  return own === undefined ? txid : (own.taken ?? null);
}

/**
 * The end of a transaction: what is left on its way, and whether it did what it was for. What it cost is booked by who
 * sent it, once it is buried.
 */
interface Ended {
  readonly purpose: EvmPurpose;
  readonly txid: Txid;
  readonly sent: readonly Sent[];
  /** The variant that was mined and carried out; null where it failed or never happens. */
  readonly by: Txid | null;
}

/** Null while its end is open, and for a transaction that this state does not wait for. */
export function endOf(p: Base, { txid, state }: EventOf<'evm.sent'>): Ended | null {
  const own = p.sent.find((one) => one.txid === txid);
  if (own === undefined || state.is === 'waiting') return null;
  const sent = p.sent.filter((one) => one !== own);
  return { ...own, sent, by: state.is === 'mined' && state.ok ? state.by : null };
}
