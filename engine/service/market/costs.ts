import { refuse, type Refusal } from '../../domain/errors.ts';
import { noSats, type Sats } from '../../domain/money.ts';
import { feeUp } from '../../legs/onchain/size.ts';
import { lockBytes, lockGas, type NetworkCosts, type Prices } from '../../quote/gas.ts';
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
    return refuse('unavailable', 'The transaction cost on this chain is not known now: try again later.');
  const rate = isOnBitcoin(direction) ? networks.bitcoinRate() : 0;
  if (rate === null)
    return refuse('unavailable', 'What a transaction on the Bitcoin chain costs is not known now: try again later.');
  return direction.costs({ gas, bytes: (size) => feeUp(size, rate) });
}

/**
 * What our lock may cost before a fee comes, with the refund that may follow it, and the relay of a claim where its
 * client pays for one (`relays`). Nothing while nobody knows the prices: no swap is opened then.
 */
export function costOfLock(
  { markets, networks }: Pick<ServiceContext, 'markets' | 'networks'>,
  { locksOn, evm }: Pick<Direction, 'locksOn' | 'evm'>,
  relays: boolean,
): Sats {
  if (locksOn === 'bitcoin') return feeUp(lockBytes, networks.bitcoinRate() ?? 0);
  if (locksOn !== 'evm' || evm === null) return noSats;
  return markets.gas(evm)?.(lockGas(relays)) ?? noSats;
}
