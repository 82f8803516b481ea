import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { checksummed } from '../../domain/evm-address.ts';
import { chainIdOf } from '../../domain/chain.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { toHex } from '../../domain/hex.ts';
import { isDeadAddress } from '../../legs/evm/dead-address.ts';
import type { TakerSwapRequest } from '../../contract/taker.ts';
import { satsIn } from '../restore/restoring.ts';
import type { Price } from '../sides/agreed.ts';
import type { OrderTerms } from '../terms.ts';
import { distrust } from '../verify.ts';
import { agreedExchange } from './exchange.ts';
import { wrongOffer, type OrderToEvm, type ToClaim } from './offer.ts';
import { orderOnEvm, type OrderedChain } from './order.ts';
import { targetIn } from './recovered-target.ts';
import { toEvmOrderFields } from './shape.ts';
import { peggedInfo } from './verify.ts';

/** Tokens that a provider locks for exactly what is paid, whatever that is. */
export const priceToEvm: Price<ToClaim, OrderToEvm, typeof toEvmOrderFields> = {
  fields: toEvmOrderFields,
  wrong: wrongOffer,
  async ordered(direction, { request, ...from }) {
    const chain = await orderOnEvm(request, from, request.amount);
    if (isRefusal(chain)) return chain;
    const destination = destinationOf(request, chain);
    if (isRefusal(destination)) return destination;
    const quoted = await from.provider.quoteOnEvm(direction, chain, { side: 'source', amount: request.amount });
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
      terms: ({ keyIndex }) => ({
        ...chain.termsFor(keyIndex),
        sourceAmount: request.amount,
        targetAmount: quoted.target,
        destination,
        ...(exchange === null ? {} : { exchange }),
      }),
    };
  },
  async recovered(record, from) {
    const sourceAmount = satsIn(record.source_amount);
    if (isRefusal(sourceAmount)) return sourceAmount;
    if (![record.target_amount, record.evm_expected_sats].every((text) => /^\d{1,40}$/.test(text)))
      return distrust('its amounts exceed 21M bitcoin');
    const chain = await from.evm(record.evm_chain_id, record.client_evm_address, sourceAmount);
    if (isRefusal(chain)) return chain;
    const target = await targetIn(record, chain, from);
    if (isRefusal(target)) return target;
    const { amount: targetAmount, exchange } = target;
    return {
      value: sourceAmount,
      terms: {
        ...chain,
        ...{ gasless: true, sourceAmount, targetAmount, destination: chain.account },
        ...(exchange === undefined ? {} : { exchange }),
      },
      // Where the tokens were to go is the provider's word: they go to our own account of this seed.
      instead: {
        target_evm_address: checksummed(chain.account),
        target_amount: targetAmount.toString(),
        ...(target.instead ? { target_token: peggedInfo(chain) } : {}),
      },
    };
  },
};

/** Where the claim is to pay. */
function destinationOf({ evm }: TakerSwapRequest, { pairs, pegged, wanted }: OrderedChain): EvmAddress | Refusal {
  const destination = evm?.destination ?? null;
  if (destination === null)
    return refuse('invalid', 'target_address is required for a swap to an EVM chain: send where the tokens shall go.');
  if (pairs.some((pair) => isDeadAddress(destination, pair, [pegged.address, wanted.address])))
    return refuse(
      'invalid',
      `target_address is ${checksummed(destination)}, an address that nobody can spend from: send an account ` +
        'of your own.',
    );
  return destination;
}

/** The order in the form of the wire. */
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
