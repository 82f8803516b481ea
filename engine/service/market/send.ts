import type { LightningSendRequest } from '../../contract/requests/quotes.ts';
import type { EvmNetwork } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { asEvmAddress } from '../../domain/evm.ts';
import { fromHex } from '../../domain/hex.ts';
import type { Price, Rate } from '../../quote/fees.ts';
import { priceFromToken, satsOfUnitsDown, type PinnedSide } from '../../quote/token-price.ts';
import type { From, ServiceContext } from '../context.ts';
import { nativeSource } from '../limits/limits.ts';
import { notExchanged, rateOf, worthOf } from './worth.ts';

/** What a payout costs, as `/quote/lightning-send` tells it: the source in its own units, and the lock in sats. */
export interface SendPrice extends Price {
  readonly sourceUnits: bigint;
  readonly exchangeRate: string;
}

/** A payout that is paid for with a token: the lock is what the token is worth, fees included (facts/clients.md 33). */
export async function tokenSend(
  context: Pick<ServiceContext, 'markets'>,
  network: EvmNetwork,
  { payee, sourceToken, sourceInSats, client = null }: From<LightningSendRequest>,
  rate: Rate,
): Promise<SendPrice | Refusal> {
  const market = context.markets.on(network);
  if (market === null) return refuse('unavailable', 'This chain was not read yet: try again later.');
  if (sourceToken === null || !sourceToken.startsWith('0x'))
    return refuse('invalid', 'source_token is required with an EVM chain: send the address of the token.');
  const address = asEvmAddress(fromHex(sourceToken.slice(2)));
  const native = nativeSource(network, address);
  if (native !== null) return native;
  const alone = notExchanged(market, address);
  if (alone !== null) return alone;
  const token = await context.markets.token(market, address, client);
  if (isRefusal(token)) return token;
  const { pinned, amount } = pinOf(payee);
  // What the lock is to be worth is fixed in sats, and the fees come out of it all the same.
  const inSats = pinned === 'target' || sourceInSats;
  const side = inSats ? 'target' : 'source';
  const order = { direction: 'from-token', token: address, pinned: side, amount, client } as const;
  const valued = await worthOf(market, order);
  if (isRefusal(valued)) return valued;
  const price = priceFromToken(pinned, valued.worth, market.pegged.decimals, rate);
  return {
    source: satsOfUnitsDown(price.locked, market.pegged.decimals),
    target: price.sats,
    fee: price.fee,
    networkFee: price.networkFee,
    sourceUnits: price.token,
    exchangeRate: rateOf(valued, token.decimals),
  };
}

function pinOf(payee: LightningSendRequest['payee']): { readonly pinned: PinnedSide; readonly amount: bigint } {
  if (payee.is === 'invoice') return { pinned: 'target', amount: payee.amount };
  return payee.amount;
}
