import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { checksummed } from '../../domain/evm-address.ts';
import { chainIdOf, type TakerDirection } from '../../domain/chain.ts';
import { toHex } from '../../domain/hex.ts';
import { isDeadAddress } from '../../legs/evm/dead-address.ts';
import type { Ordering } from '../direction.ts';
import { agreedExchange } from './exchange.ts';
import type { OrderTerms } from '../terms.ts';
import type { OrderToEvm } from './offer.ts';
import { orderOnEvm } from './order.ts';

/** The part of an order for tokens that a provider locks, quoted, whatever we pay with. */
export async function orderToEvm(direction: TakerDirection, { request, ...from }: Ordering) {
  const chain = await orderOnEvm(request, from, request.amount);
  if (isRefusal(chain)) return chain;
  const destination = request.evm?.destination ?? null;
  if (destination === null)
    return refuse('invalid', 'target_address is required for a swap to an EVM chain: send where the tokens shall go.');
  if (chain.pairs.some((pair) => isDeadAddress(destination, pair, [chain.pegged.address, chain.wanted.address])))
    return refuse(
      'invalid',
      `target_address is ${checksummed(destination)}, which is nobody's who could use the tokens: send an account ` +
        'of your own.',
    );
  const quoted = await from.provider.quoteOnEvm(direction, chain, { side: 'source', amount: request.amount });
  if (isRefusal(quoted)) return quoted;
  const exchange =
    chain.exchange === null
      ? null
      : await agreedExchange(chain.exchange, {
          ...{ chain, source: request.amount, quoted, agreed: request.leastTarget },
        });
  if (isRefusal(exchange)) return exchange satisfies Refusal;
  return {
    termsFor: (keyIndex: number) => ({
      ...chain.termsFor(keyIndex),
      sourceAmount: request.amount,
      targetAmount: quoted.target,
      destination,
      ...(exchange === null ? {} : { exchange }),
    }),
  };
}

/** The same part in the form of the wire. */
export function requestToEvm(t: OrderToEvm & Pick<OrderTerms, 'userId'>) {
  return {
    claiming_address: checksummed(t.account),
    evm_chain_id: chainIdOf(t.chain),
    hash_lock: `0x${toHex(t.hash)}`,
    target_address: checksummed(t.destination),
    token_address: checksummed((t.exchange?.token ?? t.pegged).address),
    user_id: t.userId,
    amount_in: Number(t.sourceAmount),
    gasless: t.gasless,
  };
}
