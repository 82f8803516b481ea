import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { greater, noSats, type Sats } from '../../domain/money.ts';
import { leastPart } from '../../legs/lightning/part-cost.ts';
import { leastWorth } from '../../quote/gas.ts';
import type { ServiceContext } from '../context.ts';
import type { Direction } from '../directions/direction.ts';
import { costsOf } from '../market/costs.ts';

/** The least that a swap of a direction is worth doing for, whatever its owner set, and what says so. */
export interface Floor {
  readonly sats: Sats;
  readonly by: 'dust' | 'costs' | 'channels';
}

/** Refused while what its networks cost is not known. */
export function floorOf(context: Pick<ServiceContext, 'markets' | 'networks'>, direction: Direction): Floor | Refusal {
  const costs = costsOf(context, direction);
  if (isRefusal(costs)) return costs;
  const floors: readonly Floor[] = [
    { sats: leastWorth(costs), by: 'costs' },
    { sats: dustOf(context, direction), by: 'dust' },
    { sats: heldOf(context, direction), by: 'channels' },
  ];
  return floors.reduce((most, one) => (one.sats > most.sats ? one : most));
}

/** What the Arkade operator keeps no coin of. On the Bitcoin chain a claim costs more than the dust there. */
function dustOf({ networks }: Pick<ServiceContext, 'networks'>, { source, target }: Direction): Sats {
  if (source !== 'Arkade' && target !== 'Arkade') return noSats;
  const arkade = networks.arkade();
  return arkade.state === 'connected' ? arkade.facts.info.dust : noSats;
}

/** What comes over Lightning must count as held before anything is given for it; it is more than what is paid out. */
function heldOf({ networks }: Pick<ServiceContext, 'networks'>, { source }: Direction): Sats {
  return source === 'Lightning' ? greater(networks.leastHeld(), leastPart(networks.bitcoinRate() ?? 0)) : noSats;
}
