import { arkadeEvmRecord, type ArkadeEvmRecord } from '../../contract/directions/arkade-evm.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { checksummed, readEvmAddress } from '../../domain/evm-address.ts';
import { sameBytes } from '../../domain/hash.ts';
import { sats } from '../../domain/money.ts';
import { leastOut } from '../../domain/slippage.ts';
import { sha256Of } from '../../legs/secret.ts';
import type { ExchangeTerms } from '../evm/terms.ts';
import { operatorThen } from '../restore/operator.ts';
import { asCreated, readCreated, satsIn, type Restorable, type Restoring } from '../restore/restoring.ts';
import { distrust } from '../verify.ts';
import type { TakeArkadeEvmProgress, TakeArkadeEvmTerms } from './terms.ts';

export const restorable: Restorable<TakeArkadeEvmTerms, TakeArkadeEvmProgress> = {
  ours: 'sender_pk',
  async recovered(given, from) {
    const record = readCreated(arkadeEvmRecord, given);
    if (isRefusal(record)) return record;
    const sourceAmount = satsIn(record.source_amount);
    if (isRefusal(sourceAmount)) return sourceAmount;
    if (!/^\d{1,40}$/.test(record.target_amount)) return distrust('its amounts are more than there is');
    const chain = await from.evm(record.evm_chain_id, record.client_evm_address, sourceAmount);
    if (isRefusal(chain)) return chain;
    const exchange = await exchangeIn(record, chain, from);
    if (isRefusal(exchange)) return exchange;
    return {
      // Where the tokens were to go is the provider's word: they go to our own account of this seed.
      record: asCreated(given, { target_evm_address: checksummed(chain.account) }),
      value: sourceAmount,
      terms: {
        ...from.agreed,
        ...chain,
        gasless: true,
        operator: operatorThen(record, from.operator(), { side: 'source', network: from.agreed.network }),
        hash: sha256Of(from.secret),
        sourceAmount,
        targetAmount: BigInt(record.target_amount),
        destination: chain.account,
        ...(exchange === null ? {} : { exchange }),
      },
    };
  },
};

/** Another token than that of the lock, by the word of the record as far as nobody else knows it. */
async function exchangeIn(
  record: ArkadeEvmRecord,
  { pegged }: Pick<TakeArkadeEvmTerms, 'pegged'>,
  from: Restoring,
): Promise<ExchangeTerms | Refusal | null> {
  const address = readEvmAddress(record.target_token.token_id);
  if (address === null || sameBytes(address, pegged.address)) return null;
  const exchange = await from.exchange(record.evm_chain_id, address);
  if (isRefusal(exchange)) return exchange;
  const { token, slippageBps } = exchange;
  const least = leastOut(BigInt(record.target_amount), slippageBps);
  return { token, slippageBps, least, mostFees: sats(BigInt(record.fee_sats)) };
}
