import { lightningEvmRecord } from '../../contract/directions/lightning-evm.ts';
import { priceToEvm, requestToEvm } from '../evm/order-to.ts';
import { toEvm } from '../sides/evm.ts';
import { fromLightning } from '../sides/lightning.ts';
import { taken } from '../taken.ts';
import { wrongHash } from '../verify.ts';

/** Somebody pays the provider's hold invoice, the provider locks tokens, and we claim them with a secret of ours. */
export const takenLightningEvm = taken('lightning-evm', lightningEvmRecord, {
  ours: 'hash_lock',
  price: priceToEvm,
  source: fromLightning('Swap to an EVM chain'),
  target: toEvm,
  request: (t) => ({ ...requestToEvm(t), invoice_description: t.description }),
  wrong: wrongHash,
});
