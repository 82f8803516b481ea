import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { readEvmAddress } from '../../domain/evm-address.ts';
import { sameBytes } from '../../domain/hash.ts';
import { sats } from '../../domain/money.ts';
import { leastOut } from '../../domain/slippage.ts';
import type { TokenInfo } from '../../domain/token.ts';
import type { Restoring } from '../restore/restoring.ts';
import { distrust } from '../verify.ts';
import { lessBps } from './exchange.ts';
import type { EvmOrderTerms, ExchangeTerms } from './terms.ts';

/** What a record says of what its claim brings. */
export interface Named {
  readonly target_token: TokenInfo;
  readonly target_amount: string;
  readonly evm_expected_sats: string;
  readonly evm_chain_id: number;
  readonly fee_sats: number;
}

interface Target {
  readonly amount: bigint;
  readonly exchange?: ExchangeTerms;
  /** The token of the lock itself is claimed in the place of what the record says. */
  readonly instead: boolean;
}

/**
 * What is claimed: another token than that of the lock only where the owner named it and it has a price. The word of
 * the record alone would have us exchange for what its provider made, or for nothing (facts/faults.md 112): at least
 * what our own exchange brings now, with the tolerance of an order, has to arrive.
 */
export async function targetIn(
  record: Named,
  { pegged }: Pick<EvmOrderTerms, 'pegged'>,
  from: Restoring,
): Promise<Target | Refusal> {
  const address = readEvmAddress(record.target_token.token_id);
  const inRecord = BigInt(record.target_amount);
  if (address === null) return distrust('its target token is none');
  if (sameBytes(address, pegged.address)) return { amount: inRecord, instead: false };
  const locked = { amount: BigInt(record.evm_expected_sats), instead: true };
  const exchange = await from.exchange(record.evm_chain_id, address);
  if (isRefusal(exchange)) return exchange.refusal === 'unavailable' ? exchange : locked;
  const { token, slippageBps } = exchange;
  const brings = await exchange.brings(locked.amount);
  if (isRefusal(brings)) return locked;
  const borne = leastOut(brings, lessBps(0));
  const amount = inRecord > borne ? inRecord : borne;
  const least = leastOut(amount, slippageBps);
  return { amount, exchange: { token, slippageBps, least, mostFees: sats(BigInt(record.fee_sats)) }, instead: false };
}
