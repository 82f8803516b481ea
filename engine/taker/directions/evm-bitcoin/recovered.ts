import { evmBitcoinRecord } from '../../../contract/directions/evm-bitcoin.ts';
import { isRefusal } from '../../../domain/errors.ts';
import type { TimeHtlcTerms } from '../../../legs/onchain/htlc.ts';
import { sha256Of } from '../../../legs/secret.ts';
import { asCreated, readCreated, satsIn, type Restorable } from '../../restore/restoring.ts';
import type { BitcoinLeg } from '../../terms.ts';
import { distrust } from '../../verify.ts';
import type { TakeEvmBitcoinTerms } from './terms.ts';

export const restorable: Restorable<TakeEvmBitcoinTerms> = {
  ours: 'btc_user_claim_pk',
  async recovered(given, from) {
    const record = readCreated(evmBitcoinRecord, given);
    if (isRefusal(record)) return record;
    const targetAmount = satsIn(record.target_amount);
    if (isRefusal(targetAmount)) return targetAmount;
    if (!/^\d{1,40}$/.test(record.source_amount)) return distrust('its amounts are more than there is');
    const chain = await from.evm(record.evm_chain_id, record.client_evm_address, targetAmount);
    if (isRefusal(chain)) return chain;
    return {
      // Where the bitcoin was to go is the provider's word: it goes to our own wallet.
      record: asCreated(given, { target_btc_address: undefined }),
      value: targetAmount,
      terms: {
        ...from.agreed,
        ...chain,
        gasless: record.gasless,
        hash: sha256Of(from.secret),
        sourceAmount: BigInt(record.source_amount),
        targetAmount,
      },
    };
  },
  // One that was given lets our tokens be locked, though not for as long as this.
  signedUntil: ({ target }) => (target as BitcoinLeg<TimeHtlcTerms>).htlc.refundLocktime,
};
