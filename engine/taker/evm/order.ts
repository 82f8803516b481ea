import { refuse, isRefusal, type Refusal } from '../../domain/errors.ts';
import { sameBytes } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import type { TakerSwapRequest } from '../../contract/taker.ts';
import { checksummed } from '../../legs/evm/address.ts';
import type { Ordering } from '../direction.ts';
import type { EvmOrderTerms } from './terms.ts';

/** An EVM chain as we read it ourselves, for one order. */
export interface OrderedChain {
  readonly chain: EvmOrderTerms['chain'];
  readonly pegged: EvmOrderTerms['pegged'];
  termsFor(keyIndex: number): EvmOrderTerms;
}

/** The part of an order that is on an EVM chain: only tokens that swaps lock themselves, so that nobody else's calls are ever signed. */
export async function orderOnEvm(
  { evm }: TakerSwapRequest,
  from: Omit<Ordering, 'request'>,
  value: Sats,
): Promise<OrderedChain | Refusal> {
  if (evm === undefined)
    return refuse('invalid', 'evm_chain_id is required for a swap with an EVM chain: send the number of the chain.');
  const read = await from.evm(evm.chainId, value);
  if (isRefusal(read)) return read;
  const { pegged } = read;
  if (evm.token !== null && !sameBytes(evm.token, pegged.address))
    return refuse(
      'invalid',
      `token_address is ${checksummed(evm.token)}: on chain ${evm.chainId} swaps of your own are made with ${pegged.symbol} at ${checksummed(pegged.address)} alone, leave it out.`,
    );
  return {
    chain: read.chain,
    pegged,
    termsFor: (index) => ({ ...read, evmKey: { scheme: 'wallet', index }, gasless: evm.gasless }),
  };
}
