import { evmBitcoinRecord } from '../../../contract/directions/evm-bitcoin.ts';
import { isRefusal } from '../../../domain/errors.ts';
import type { TimeHtlcTerms } from '../../../legs/onchain/htlc.ts';
import { sha256Of } from '../../../legs/secret.ts';
import { recoveredFromEvm } from '../../evm/recovered-from.ts';
import { asCreated, readCreated, type Restorable } from '../../restore/restoring.ts';
import type { BitcoinLeg } from '../../terms.ts';
import type { TakeEvmBitcoinTerms } from './terms.ts';

export const restorable: Restorable<TakeEvmBitcoinTerms> = {
  ours: 'btc_user_claim_pk',
  async recovered(given, from) {
    const record = readCreated(evmBitcoinRecord, given);
    if (isRefusal(record)) return record;
    const source = await recoveredFromEvm(record, from);
    if (isRefusal(source)) return source;
    return {
      // Where the bitcoin was to go is the provider's word: it goes to our own wallet.
      record: asCreated(given, { target_btc_address: undefined }),
      value: source.value,
      terms: {
        ...from.agreed,
        ...source.terms,
        hash: sha256Of(from.secret),
      },
    };
  },
  // One that was given lets our tokens be locked, though not for as long as this.
  signedUntil: ({ target }) => (target as BitcoinLeg<TimeHtlcTerms>).htlc.refundLocktime,
};
