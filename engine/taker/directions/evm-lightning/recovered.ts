import { evmLightningRecord } from '../../../contract/directions/evm-lightning.ts';
import { isRefusal } from '../../../domain/errors.ts';
import { after, hour } from '../../../domain/time.ts';
import { recoveredPayout } from '../../payout-invoice.ts';
import { asCreated, readCreated, satsIn, type Restorable } from '../../restore/restoring.ts';
import type { LightningLeg } from '../../terms.ts';
import { distrust } from '../../verify.ts';
import type { TakeEvmLightningTerms } from './terms.ts';

export const restorable: Restorable<TakeEvmLightningTerms> = {
  ours: 'client_evm_address',
  async recovered(given, from) {
    const unsettled = { lightning_payment_settled: false };
    const record = readCreated(evmLightningRecord, asCreated(given, unsettled));
    if (isRefusal(record)) return record;
    const targetAmount = satsIn(record.target_amount);
    if (isRefusal(targetAmount)) return targetAmount;
    if (!/^\d{1,40}$/.test(record.source_amount)) return distrust('its amounts are more than there is');
    const payout = recoveredPayout(record, targetAmount, from);
    if (isRefusal(payout)) return payout;
    const chain = await from.evm(record.evm_chain_id, record.client_evm_address, targetAmount);
    if (isRefusal(chain)) return chain;
    return {
      record: asCreated(given, unsettled),
      value: targetAmount,
      terms: {
        ...from.agreed,
        ...chain,
        gasless: record.gasless,
        ...payout,
        sourceAmount: BigInt(record.source_amount),
      },
    };
  },
  // One that was given lets our tokens be locked for a while after the invoice.
  signedUntil: ({ target }) => after((target as LightningLeg).expiresAt, hour),
};
