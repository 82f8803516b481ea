import { evmArkadeRecord } from '../../../contract/directions/evm-arkade.ts';
import { isRefusal } from '../../../domain/errors.ts';
import { sha256Of } from '../../../legs/secret.ts';
import { operatorThen } from '../../restore/operator.ts';
import { asCreated, readCreated, satsIn, type Restorable } from '../../restore/restoring.ts';
import type { ArkadeLeg } from '../../terms.ts';
import { distrust } from '../../verify.ts';
import type { TakeEvmArkadeTerms } from './terms.ts';

export const restorable: Restorable<TakeEvmArkadeTerms> = {
  ours: 'receiver_pk',
  async recovered(given, from) {
    const record = readCreated(evmArkadeRecord, given);
    if (isRefusal(record)) return record;
    const targetAmount = satsIn(record.target_amount);
    if (isRefusal(targetAmount)) return targetAmount;
    if (!/^\d{1,40}$/.test(record.source_amount)) return distrust('its amounts are more than there is');
    const chain = await from.evm(record.evm_chain_id, record.client_evm_address, targetAmount);
    if (isRefusal(chain)) return chain;
    return {
      record: asCreated(given, { target_arkade_address: from.arkadeAddress }),
      value: targetAmount,
      terms: {
        ...from.agreed,
        ...chain,
        gasless: record.gasless,
        operator: operatorThen(record, from.operator(), { side: 'target', network: from.agreed.network }),
        hash: sha256Of(from.secret),
        sourceAmount: BigInt(record.source_amount),
        targetAmount,
        targetAddress: from.arkadeAddress,
      },
    };
  },
  // One that was given lets our tokens be locked, though not for as long as this.
  signedUntil: ({ target }) => (target as ArkadeLeg).vhtlc.refundLocktime,
};
