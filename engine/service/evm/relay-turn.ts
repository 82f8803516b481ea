import { refuse, type Refusal } from '../../domain/errors.ts';
import { noSats } from '../../domain/money.ts';
import { day } from '../../domain/time.ts';
import { gasOf } from '../../quote/gas.ts';
import type { SwapRow } from '../../store/swaps.ts';
import { mostReverts } from '../../swap/halves/evm/most-reverts.ts';
import type { ServiceContext } from '../context.ts';
import { accountName } from './paying.ts';
import type { RelayToMake } from './unpaid.ts';

export interface RelayOf extends RelayToMake {
  /** Whether a relay of the swap on this chain was asked for and is not signed yet. */
  isAsked(row: SwapRow): boolean;
}

/**
 * Whether a client's funding or refund may still be relayed today: what is paid for swaps that bring no fee has a
 * ceiling, for one client and for all (facts/faults.md 57, 67). Of a claim it is asked once one has failed, or gas
 * costs far more than its lock counted for it. What is on its way, or only asked for, counts as much as it may cost:
 * else any number that comes at once would find the same room. Nothing is relayed blindly: while a cost cannot be told
 * in sats, the request may come again.
 */
export function relayTurn(
  { runtime, markets, unpaid }: Pick<ServiceContext, 'runtime' | 'markets' | 'unpaid'>,
  { isAsked, ...relay }: RelayOf,
): Refusal | null {
  const { store, clock, workingSet } = runtime;
  const since = clock.now().wall - day;
  const { network, by } = relay;
  const name = accountName(by.account);
  const reverts = store.nonces.relaysSince(network, since).filter(({ subject, mined }) => {
    if (mined?.ok !== false) return false;
    const of = store.swaps.byId(subject);
    return of !== null && unpaid.whose(of).clients.includes(name);
  }).length;
  if (reverts >= mostReverts)
    return refuse(
      'flood',
      `${reverts} transactions sent for this address failed today: send your own, or wait until tomorrow.`,
      day,
    );
  const cost = markets.gas(network)?.(gasOf.relayFund) ?? null;
  const waiting = [...workingSet.all()]
    .filter((one) => isAsked(one.row))
    .map((one) => ({ amount: cost ?? noSats, ...unpaid.whose(one.row) }));
  const full = unpaid.turn(relay, waiting);
  if (full !== null) return full;
  if (cost !== null || (waiting.length === 0 && !store.outlays.any(network, since))) return null;
  markets.readSoon();
  return refuse('unavailable', 'The gas price is not known yet: send your own transaction, or try again in a moment.');
}
