import { evmLightningRecord } from '../../../contract/directions/evm-lightning.ts';
import { isRefusal } from '../../../domain/errors.ts';
import { after, hour } from '../../../domain/time.ts';
import { recoveredFromEvm } from '../../evm/recovered-from.ts';
import { recoveredPayout } from '../../payout-invoice.ts';
import { asCreated, readCreated, satsIn, type Restorable } from '../../restore/restoring.ts';
import type { LightningLeg } from '../../terms.ts';
import type { TakeEvmLightningTerms } from './terms.ts';

export const restorable: Restorable<TakeEvmLightningTerms> = {
  ours: 'client_evm_address',
  async recovered(given, from) {
    const unsettled = { lightning_payment_settled: false };
    const record = readCreated(evmLightningRecord, asCreated(given, unsettled));
    if (isRefusal(record)) return record;
    const targetAmount = satsIn(record.target_amount);
    if (isRefusal(targetAmount)) return targetAmount;
    const payout = recoveredPayout(record, targetAmount, from);
    if (isRefusal(payout)) return payout;
    const source = await recoveredFromEvm(record, from);
    if (isRefusal(source)) return source;
    return {
      record: asCreated(given, unsettled),
      value: source.value,
      terms: {
        ...from.agreed,
        ...source.terms,
        ...payout,
      },
    };
  },
  // One that was given lets our tokens be locked for a while after the invoice.
  signedUntil: ({ target }) => after((target as LightningLeg).expiresAt, hour),
};
