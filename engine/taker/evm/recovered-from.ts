import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { satsIn, type Restoring } from '../restore/restoring.ts';
import { distrust } from '../verify.ts';

/** The part of an order of tokens that we locked, from the record and from what we read ourselves. */
export async function recoveredFromEvm(
  record: {
    readonly evm_chain_id: number;
    readonly client_evm_address: string;
    readonly source_amount: string;
    readonly target_amount: string;
    readonly gasless: boolean;
  },
  from: Restoring,
) {
  const targetAmount = satsIn(record.target_amount);
  if (isRefusal(targetAmount)) return targetAmount satisfies Refusal;
  if (!/^\d{1,40}$/.test(record.source_amount)) return distrust('its amounts are more than there is');
  const chain = await from.evm(record.evm_chain_id, record.client_evm_address, targetAmount);
  if (isRefusal(chain)) return chain;
  const { gasless, source_amount: units } = record;
  return { value: targetAmount, terms: { ...chain, gasless, sourceAmount: BigInt(units), targetAmount } };
}
