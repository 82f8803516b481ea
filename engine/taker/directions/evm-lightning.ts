import { evmLightningRecord } from '../../contract/directions/evm-lightning.ts';
import { priceFromEvm, requestFromEvm } from '../evm/order-from.ts';
import { fromEvm } from '../sides/evm.ts';
import { toLightning } from '../sides/lightning.ts';
import { taken } from '../taken.ts';
import { objection, wrongHash } from '../verify.ts';

/** Tokens of ours are locked by our signature, and the provider pays an invoice for them. */
export const takenEvmLightning = taken('evm-lightning', evmLightningRecord, {
  ours: 'client_evm_address',
  price: priceFromEvm,
  source: fromEvm,
  target: toLightning,
  request: (t) => ({ lightning_invoice: t.bolt11, ...requestFromEvm(t) }),
  wrong: (record, terms) =>
    wrongHash(record, terms) ??
    objection(!record.lightning_payment_settled, 'it says that the invoice is paid although nothing was locked'),
});
