import { chainIdOf } from '../../domain/chain.ts';
import { isRefusal, refuse } from '../../domain/errors.ts';
import { checksummed } from '../../domain/evm-address.ts';
import { isOpenToClaimer } from '../../legs/evm/deployments.ts';
import type { ValueOf } from '../../legs/shape.ts';
import { satsIn } from '../restore/restoring.ts';
import type { Price } from '../sides/agreed.ts';
import type { OrderTerms } from '../terms.ts';
import { distrust } from '../verify.ts';
import { agreedSpend } from './exchange.ts';
import { orderOnEvm } from './order.ts';
import { fromEvmFields } from './shape.ts';
import { isZero, wrongPrice, type OrderFromEvm, type ToLock } from './verify.ts';

type FromEvm = ValueOf<typeof fromEvmFields>;

/** Tokens that we lock, for exactly what comes out: the price is what the provider quotes for that. */
export const priceFromEvm: Price<ToLock, OrderFromEvm, typeof fromEvmFields> = {
  fields: fromEvmFields,
  wrong: wrongPrice,
  async ordered(direction, { request, ...from }) {
    const { amount: targetAmount } = request;
    const chain = await orderOnEvm(request, from, targetAmount);
    if (isRefusal(chain)) return chain;
    if ([chain.pegged, chain.wanted].some(({ address }) => isZero(address)))
      return refuse(
        'invalid',
        `The coin of ${chain.chain} cannot be moved by a signature: swap from a chain with a token.`,
      );
    const quoted = await from.provider.quoteOnEvm(
      direction,
      { chain: chain.chain, wanted: chain.pegged },
      { side: 'target', amount: targetAmount },
    );
    if (isRefusal(quoted)) return quoted;
    const spend =
      chain.exchange === null
        ? null
        : await agreedSpend(chain.exchange, { locked: quoted.source, agreed: request.mostSource });
    if (isRefusal(spend)) return spend;
    return {
      value: targetAmount,
      terms: ({ keyIndex }) => ({
        ...chain.termsFor(keyIndex),
        pairs: chain.pairs.filter((pair) => !isOpenToClaimer(pair)),
        sourceAmount: quoted.source,
        targetAmount,
        // A provider relays the funding of its own exchange alone: what ours does, our account sends.
        ...(spend === null ? {} : { spend, gasless: false }),
      }),
    };
  },
  async recovered({ target_amount: target, source_amount: units, gasless, ...record }, from) {
    const targetAmount = satsIn(target);
    if (isRefusal(targetAmount)) return targetAmount;
    if (!/^\d{1,40}$/.test(units)) return distrust('its amounts exceed 21M bitcoin');
    const chain = await from.evm(record.evm_chain_id, record.client_evm_address, targetAmount);
    if (isRefusal(chain)) return chain;
    return { value: targetAmount, terms: { ...chain, gasless, sourceAmount: BigInt(units), targetAmount } };
  },
};

/** The order in the form of the wire. */
export function requestFromEvm(t: FromEvm & Pick<OrderTerms, 'userId'>) {
  return {
    evm_chain_id: chainIdOf(t.chain),
    token_address: checksummed(t.pegged.address),
    user_address: checksummed(t.account),
    user_id: t.userId,
    gasless: t.gasless,
  };
}
