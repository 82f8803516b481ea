import { refuse, isRefusal, type Refusal } from '../../domain/errors.ts';
import { sameBytes } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import type { TakerSwapRequest } from '../../contract/taker.ts';
import type { OrderedExchange } from './exchange.ts';
import type { Ordering } from '../direction.ts';
import type { EvmOrderTerms } from './terms.ts';

/** An EVM chain as we read it ourselves, for one order. */
export interface OrderedChain {
  readonly chain: EvmOrderTerms['chain'];
  readonly pairs: EvmOrderTerms['pairs'];
  readonly pegged: EvmOrderTerms['pegged'];
  /** What is wanted or given: the token of the lock, or one that an exchange makes of it, or it of that. */
  readonly wanted: EvmOrderTerms['pegged'];
  /** Null where nothing is exchanged. */
  readonly exchange: OrderedExchange | null;
  termsFor(keyIndex: number): EvmOrderTerms;
}

/** The part of an order that is on an EVM chain, whichever side of the swap that is. */
export async function orderOnEvm(
  { evm }: TakerSwapRequest,
  from: Omit<Ordering, 'request'>,
  value: Sats,
): Promise<OrderedChain | Refusal> {
  if (evm === undefined)
    return refuse('invalid', 'evm_chain_id is required for a swap with an EVM chain: send the number of the chain.');
  const read = await from.evm(evm.chainId, value);
  if (isRefusal(read)) return read;
  const { chain, pairs, pegged } = read;
  const termsFor = (index: number): EvmOrderTerms => ({
    ...read,
    evmKey: { scheme: 'wallet', index },
    gasless: evm.gasless,
  });
  if (evm.token === null || sameBytes(evm.token, pegged.address))
    return { chain, pairs, pegged, wanted: pegged, exchange: null, termsFor };
  const exchange = await from.exchange(evm.chainId, evm.token);
  return isRefusal(exchange) ? exchange : { chain, pairs, pegged, wanted: exchange.token, exchange, termsFor };
}
