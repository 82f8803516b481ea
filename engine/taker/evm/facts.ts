import type { EvmNetwork } from '../../domain/chain.ts';
import { checksummed } from '../../domain/evm-address.ts';
import { sats } from '../../domain/money.ts';
import type { RecordToken } from '../../swap/halves/evm/record.ts';
import type { Side } from '../facts.ts';
import type { EvmOrderTerms } from './terms.ts';
import { isZero, satsDown } from './verify.ts';

/** So many units of the token that is worth bitcoin. */
export function evmSide(terms: EvmOrderTerms, amount: bigint): Side {
  return { ...tokenSide(terms.chain, terms.pegged, amount), sats: sats(satsDown(amount, terms)) };
}

/** So many units of a token whose worth in bitcoin is what an exchange says. */
export function tokenSide(network: EvmNetwork, token: RecordToken, amount: bigint): Side {
  const { address, symbol, decimals } = token;
  return { network, token: isZero(address) ? null : checksummed(address), symbol, decimals, amount, sats: null };
}
