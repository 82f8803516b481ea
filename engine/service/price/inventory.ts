import { noSats, plus, type Purse, type Sats } from '../../domain/money.ts';
import { termsFor } from '../../domain/terms.ts';
import { spreadDown } from '../../quote/inventory.ts';
import type { ServiceContext } from '../context.ts';
import type { Direction, Side } from '../directions/direction.ts';
import { freeOn } from '../networks/free.ts';

/** What is added to the fee of a direction by what its two sides hold now. */
export function spreadNow(context: ServiceContext, { name, source, target, evm }: Direction): number {
  const { terms } = context.config;
  if (terms.inventory.spreadBps === 0) return 0;
  const held = (side: Side): Sats => heldOn(context, side, evm);
  return spreadDown({ held: held(target), across: held(source) }, terms.inventory, termsFor(terms, name).feeBps);
}

/** Promised or not: whoever opens swaps and pays for none of them moves no price. */
function heldOn({ networks, runtime }: ServiceContext, side: Side, evm: Direction['evm']): Sats {
  const purse = purseOf(side, evm);
  if (purse === null) return noSats;
  const chain = evm !== null && purse === evm ? networks.chains.get(evm) : undefined;
  const promised = chain?.promised() ?? runtime.store.reservations.totals().get(purse) ?? noSats;
  return plus(freeOn(networks, purse), promised);
}

/** Null for a chain that is not named. */
function purseOf(side: Side, evm: Direction['evm']): Purse | null {
  switch (side) {
    case 'Arkade':
      return 'arkade';
    case 'Lightning':
      return 'lightning';
    case 'Bitcoin':
      return 'bitcoin';
    case 'evm':
      return evm;
  }
}
