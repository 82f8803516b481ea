import { arkadeEvmRecord, type ArkadeEvmRecord } from '../../../contract/directions/arkade-evm.ts';
import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import { checksummed, readEvmAddress } from '../../../domain/evm-address.ts';
import { sameBytes } from '../../../domain/hash.ts';
import { sats } from '../../../domain/money.ts';
import { leastOut } from '../../../domain/slippage.ts';
import { sha256Of } from '../../../legs/secret.ts';
import { lessBps } from '../../evm/exchange.ts';
import type { ExchangeTerms } from '../../evm/terms.ts';
import { peggedInfo } from '../../evm/verify.ts';
import { operatorThen } from '../../restore/operator.ts';
import { asCreated, readCreated, satsIn, type Restorable, type Restoring } from '../../restore/restoring.ts';
import { distrust } from '../../verify.ts';
import type { TakeArkadeEvmTerms } from './terms.ts';

export const restorable: Restorable<TakeArkadeEvmTerms> = {
  ours: 'sender_pk',
  async recovered(given, from) {
    const record = readCreated(arkadeEvmRecord, given);
    if (isRefusal(record)) return record;
    const sourceAmount = satsIn(record.source_amount);
    if (isRefusal(sourceAmount)) return sourceAmount;
    if (![record.target_amount, record.evm_expected_sats].every((text) => /^\d{1,40}$/.test(text)))
      return distrust('its amounts are more than there is');
    const chain = await from.evm(record.evm_chain_id, record.client_evm_address, sourceAmount);
    if (isRefusal(chain)) return chain;
    const target = await targetIn(record, chain, from);
    if (isRefusal(target)) return target;
    return {
      // Where the tokens were to go is the provider's word: they go to our own account of this seed.
      record: asCreated(given, {
        target_evm_address: checksummed(chain.account),
        target_amount: target.amount.toString(),
        ...(target.instead ? { target_token: peggedInfo(chain) } : {}),
      }),
      value: sourceAmount,
      terms: {
        ...from.agreed,
        ...chain,
        gasless: true,
        operator: operatorThen(record, from.operator(), { side: 'source', network: from.agreed.network }),
        hash: sha256Of(from.secret),
        sourceAmount,
        targetAmount: target.amount,
        destination: chain.account,
        ...(target.exchange === undefined ? {} : { exchange: target.exchange }),
      },
    };
  },
};

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
async function targetIn(
  record: ArkadeEvmRecord,
  { pegged }: Pick<TakeArkadeEvmTerms, 'pegged'>,
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
