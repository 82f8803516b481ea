import { lesser, minus, noSats, plus, sats, type Sats } from '../../domain/money.ts';
import { relayRate } from './send.ts';
import { dustOf, feeUp, sendSize } from './size.ts';
import type { CpfpRequest } from './child.ts';

/** What a child pays that takes the change of a transaction which waits. */
export interface CpfpPlan {
  readonly fee: Sats;
  /** What is left of the change. */
  readonly left: Sats;
  /** Sats per virtual byte of both together. */
  readonly rate: number;
  /** It pays as much as it may. */
  readonly capped: boolean;
}

/**
 * A child that pays for its parent too, so that both together have the rate; one that replaces another pays more than
 * that by what nodes want for it (BIP-125). Null when the change, or what it may cost, has no room for that. Wrong: a
 * child that no node relays.
 */
export function planCpfp(
  { change, parent, rate, mostFee, replaces }: Omit<CpfpRequest, 'change'> & { readonly change: Sats },
  script: Uint8Array,
): CpfpPlan | null {
  const size = sendSize(1, [script]);
  const relayed = feeUp(size, relayRate);
  const least = replaces === null ? relayed : plus(replaces, relayed);
  const room = change - dustOf(script);
  const most = lesser(mostFee, room > 0n ? sats(room) : noSats);
  if (least > most) return null;
  const both = feeUp(parent.size + size, rate);
  const wanted = both > parent.fee ? minus(both, parent.fee) : noSats;
  const fee = lesser(most, wanted > least ? wanted : least);
  return {
    fee,
    left: minus(change, fee),
    rate: Number(parent.fee + fee) / (parent.size + size),
    capped: fee === most,
  };
}
