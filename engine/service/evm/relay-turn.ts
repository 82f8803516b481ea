import { refuse, type Refusal } from '../../domain/errors.ts';
import { less, noSats } from '../../domain/money.ts';
import { day } from '../../domain/time.ts';
import { relayToCome } from '../../store/outlays.ts';
import type { SwapRow } from '../../store/swaps.ts';
import { mostReverts } from '../../swap/halves/evm/most-reverts.ts';
import type { ServiceContext } from '../context.ts';
import { accountName } from './paying.ts';
import type { RelayToMake } from './unpaid.ts';

export interface RelayOf extends RelayToMake {
  /** Gas of a relay of the swap on this chain that was asked for and is not signed yet; null where none was. */
  unitsOf(row: SwapRow): bigint | null;
}

/**
 * Whether a client's funding or refund may still be relayed today: what is paid for swaps that bring no fee has a
 * ceiling, for one client and for all (facts/faults.md 57, 67). Of a claim it is asked once one has failed, or gas
 * costs far more than its lock counted for it. What is on its way, or only asked for, counts as much as it may cost:
 * else any number that comes at once would find the same room (facts/faults.md 281). Nothing is relayed blindly: while
 * a cost cannot be told in sats, the request may come again.
 */
export function relayTurn(
  { runtime, markets, unpaid }: Pick<ServiceContext, 'runtime' | 'markets' | 'unpaid'>,
  { unitsOf, ...relay }: RelayOf,
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
  const costOf = markets.gas(network);
  const waiting = [...workingSet.all()].flatMap(({ row }) => {
    const units = unitsOf(row);
    if (units === null) return [];
    const counted = store.outlays.of({ swap: row.id, network, place: relayToCome }) ?? noSats;
    return [{ amount: less(costOf?.(units) ?? noSats, counted), ...unpaid.whose(row) }];
  });
  const full = unpaid.turn(relay, waiting);
  if (full !== null) return full;
  if (costOf !== null || (waiting.length === 0 && !store.outlays.any(network, since))) return null;
  markets.readSoon();
  return refuse('unavailable', 'The gas price is not known yet: send your own transaction, or try again in a moment.');
}
