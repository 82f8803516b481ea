import { refuse, type Refusal } from '../../domain/errors.ts';
import { noSats } from '../../domain/money.ts';
import { feeUp } from '../../legs/onchain/size.ts';
import type { NetworkCosts, Prices } from '../../quote/gas.ts';
import type { ServiceContext } from '../context.ts';
import { isOnBitcoin, namesChain, type Direction } from '../directions/direction.ts';

/** What a swap of this direction costs us on its networks now; refused while a price that it needs is not known. */
export function costsOf(
  { markets, networks }: Pick<ServiceContext, 'markets' | 'networks'>,
  direction: Direction,
): NetworkCosts | Refusal {
  const { evm } = direction;
  const gas: Prices['gas'] | null = !namesChain(direction) ? () => noSats : evm === null ? null : markets.gas(evm);
  if (gas === null)
    return refuse('unavailable', 'What a transaction on this chain costs is not known now: try again later.');
  const rate = isOnBitcoin(direction) ? networks.bitcoinRate() : 0;
  if (rate === null)
    return refuse('unavailable', 'What a transaction on the Bitcoin chain costs is not known now: try again later.');
  return direction.costs({ gas, bytes: (size) => feeUp(size, rate) });
}
