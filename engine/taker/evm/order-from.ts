import type { TakerDirection } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import type { Sats } from '../../domain/money.ts';
import type { Ordering } from '../direction.ts';
import { agreedSpend } from './exchange.ts';
import { orderOnEvm } from './order.ts';
import { isZero } from './verify.ts';

/** The part of an order of tokens that we lock, quoted for exactly what comes out of it. */
export async function orderFromEvm(direction: TakerDirection, { request, ...from }: Ordering, targetAmount: Sats) {
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
  if (isRefusal(spend)) return spend satisfies Refusal;
  return {
    termsFor: (keyIndex: number) => ({
      ...chain.termsFor(keyIndex),
      sourceAmount: quoted.source,
      // A provider relays the funding of its own exchange alone: what ours does, our account sends.
      ...(spend === null ? {} : { spend, gasless: false }),
    }),
  };
}
