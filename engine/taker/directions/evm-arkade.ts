import { evmArkadeRecord } from '../../contract/directions/evm-arkade.ts';
import { toHex } from '../../domain/hex.ts';
import { priceFromEvm, requestFromEvm } from '../evm/order-from.ts';
import { toArkade } from '../sides/arkade.ts';
import { fromEvm } from '../sides/evm.ts';
import { taken } from '../taken.ts';
import { wrongHash } from '../verify.ts';

/**
 * Tokens of ours are locked by our signature, the provider locks on Arkade, and our claim there shows it the secret.
 */
export const takenEvmArkade = taken('evm-arkade', evmArkadeRecord, {
  ours: 'receiver_pk',
  price: priceFromEvm,
  source: fromEvm,
  target: toArkade,
  request: (t) => ({
    arkade_htlc_script_version: 1,
    hash_lock: `0x${toHex(t.hash)}`,
    receiver_pk: toHex(t.key),
    target_address: t.targetAddress,
    amount_out: Number(t.targetAmount),
    ...requestFromEvm(t),
  }),
  wrong: wrongHash,
});
