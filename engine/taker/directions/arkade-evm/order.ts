import { isRefusal, refuse, type Refusal } from '../../../domain/errors.ts';
import { checksummed } from '../../../domain/evm-address.ts';
import { isDeadAddress } from '../../../legs/evm/dead-address.ts';
import { sha256Of } from '../../../legs/secret.ts';
import type { Order, Ordering } from '../../direction.ts';
import { agreedExchange } from '../../evm/exchange.ts';
import { orderOnEvm } from '../../evm/order.ts';
import type { TakeArkadeEvmTerms } from './terms.ts';

export async function order({ request, ...from }: Ordering): Promise<Order<TakeArkadeEvmTerms> | Refusal> {
  const operator = from.operator();
  const chain = await orderOnEvm(request, from, request.amount, true);
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
  const quoted = await from.provider.quoteOnEvm('arkade-evm', chain, { side: 'source', amount: request.amount });
  if (isRefusal(quoted)) return quoted;
  const exchange =
    chain.exchange === null
      ? null
      : await agreedExchange(chain.exchange, {
          ...{ chain, source: request.amount, quoted, agreed: request.leastTarget },
        });
  if (isRefusal(exchange)) return exchange;
  return {
    value: request.amount,
    terms: (agreed, secret) => ({
      ...agreed,
      ...chain.termsFor(agreed.keyIndex),
      operator,
      hash: sha256Of(secret),
      sourceAmount: request.amount,
      targetAmount: quoted.target,
      destination,
      ...(exchange === null ? {} : { exchange }),
    }),
  };
}
