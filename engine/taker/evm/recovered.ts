import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { checksummed } from '../../domain/evm-address.ts';
import { asCreated, satsIn, type Restoring } from '../restore/restoring.ts';
import { distrust } from '../verify.ts';
import { targetIn, type Named } from './recovered-target.ts';
import { peggedInfo } from './verify.ts';

/** The part of an order for tokens that a provider locks, from the record and from what we read ourselves. */
export async function recoveredToEvm(
  given: unknown,
  record: Named & { readonly source_amount: string; readonly client_evm_address: string },
  from: Restoring,
) {
  const sourceAmount = satsIn(record.source_amount);
  if (isRefusal(sourceAmount)) return sourceAmount satisfies Refusal;
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
      ...chain,
      gasless: true,
      sourceAmount,
      targetAmount: target.amount,
      destination: chain.account,
      ...(target.exchange === undefined ? {} : { exchange: target.exchange }),
    },
  };
}
