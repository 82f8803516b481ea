import { noSats, sats, type Sats } from '../../domain/money.ts';
import { minute } from '../../domain/time.ts';
import type { Effect } from '../../swap/machine.ts';
import type { Core } from '../../runtime/core.ts';
import type { ServiceContext } from '../context.ts';
import { renewedValue } from '../exits/renewed-coins.ts';
import { looseValue } from '../exits/roots.ts';

/** What is younger is on its way: an operator lists a coin before it shows what that hangs on, and a look saves it. */
const grace = 10 * minute;

/** What is read of the node; the rest of it may not be there yet. */
export type UnsavedContext = Pick<ServiceContext, 'directions' | 'config'> & { readonly runtime: Core };

/**
 * What lies at the Arkade operator, in the wallet or in VHTLCs that are or may become ours, and could not leave it
 * alone: nothing is saved of its way to the chain. It is read anew each time, so that a restart forgives nothing.
 */
export function unsavedValue({ runtime, directions }: UnsavedContext): Sats {
  const { store, workingSet, clock } = runtime;
  const before = clock.now().wall - grace;
  let total: bigint = unlessMore(store.exits.unsavedOwn(before), renewedValue(store)) + looseValue(store);
  for (const { row, machine } of workingSet.all()) {
    if (row.updatedAt > before || directions.of(row.machine)?.atOperator(row.status) !== true) continue;
    const watches = machine.watches(row.terms, row.progress);
    if (watches.some((watch) => watch.on === 'vhtlc' && store.exits.at(watch.script).length === 0))
      total += row.valueSats;
  }
  return sats(total);
}

function unlessMore(unsaved: bigint, renewed: bigint): bigint {
  return unsaved > renewed ? unsaved - renewed : 0n;
}

/** Why nothing new is begun over Arkade, or null (`arkade.maxUnsavedSats`). */
export function unsavedFact(context: UnsavedContext): string | null {
  const most = sats(context.config.arkade?.maxUnsavedSats ?? 0);
  if (most === noSats) return null;
  const value = unsavedValue(context);
  return value > most ? `${value} sats at the Arkade operator have no saved exit, ${most} may` : null;
}

/** Locks wait for it; what claims, refunds or settles never does. */
export function lockWaitsFor(effect: Effect, context: UnsavedContext): string | null {
  return effect.do === 'vhtlc.lock' ? unsavedFact(context) : null;
}
