import { arkadeEvmRecord } from '../../contract/directions/arkade-evm.ts';
import { isRefusal } from '../../domain/errors.ts';
import { checksummed } from '../../legs/evm/address.ts';
import { sha256Of } from '../../legs/secret.ts';
import { operatorThen } from '../restore/operator.ts';
import { asCreated, readCreated, satsIn, type Restorable } from '../restore/restoring.ts';
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
      },
    };
  },
};
