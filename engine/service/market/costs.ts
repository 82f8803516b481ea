import { refuse, type Refusal } from '../../domain/errors.ts';
import { noSats } from '../../domain/money.ts';
import type { NetworkCosts } from '../../quote/gas.ts';
import type { ServiceContext } from '../context.ts';
import { namesChain, type Direction } from '../directions/direction.ts';

/** What a swap of this direction costs us on its networks now; refused while the price of gas is not known. */
export function costsOf({ markets }: Pick<ServiceContext, 'markets'>, direction: Direction): NetworkCosts | Refusal {
  if (!namesChain(direction)) return direction.costs(() => noSats);
  const gas = direction.evm === null ? null : markets.gas(direction.evm);
  return gas === null
    ? refuse('unavailable', 'What a transaction on this chain costs is not known now: try again later.')
    : direction.costs(gas);
}
