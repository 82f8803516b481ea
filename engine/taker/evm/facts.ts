import { sats } from '../../domain/money.ts';
import { checksummed } from '../../legs/evm/address.ts';
import type { Side } from '../facts.ts';
import type { EvmOrderTerms } from './terms.ts';
import { isZero, satsDown } from './verify.ts';

/** So many units of the token that is worth bitcoin. */
export function evmSide(terms: EvmOrderTerms, amount: bigint): Side {
  const { address, symbol, decimals } = terms.pegged;
  return {
    network: terms.chain,
    token: isZero(address) ? null : checksummed(address),
    symbol,
    decimals,
    amount,
    sats: sats(satsDown(amount, terms)),
  };
}
