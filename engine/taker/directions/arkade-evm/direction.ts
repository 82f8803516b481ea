import { chainIdOf } from '../../../domain/chain.ts';
import { checksummed } from '../../../domain/evm-address.ts';
import { toHex } from '../../../domain/hex.ts';
import { clientOf } from '../../client/client.ts';
import { claimOnEvm } from '../../halves/evm/claim/half.ts';
import { fundOnArkade } from '../../halves/arkade/fund/half.ts';
import { fundingWindow } from '../../window.ts';
import type { ArkadeLeg } from '../../terms.ts';
import type { EvmLeg } from '../../evm/terms.ts';
import { order } from './order.ts';
import { restorable } from './recovered.ts';
import { terms, type TakeArkadeEvmTerms } from './terms.ts';
import { verifyArkadeEvm } from './verify.ts';

/** We fund a VHTLC, the provider locks tokens on an EVM chain, and we claim them with a secret of ours. */
export const takenArkadeEvm = clientOf<TakeArkadeEvmTerms, ArkadeLeg, EvmLeg>({
  direction: 'arkade-evm',
  source: 'Arkade',
  target: 'evm',
  needs: ['arkade', 'bitcoin'],
  secret: 'ours',
  terms,
  fund: fundOnArkade,
  claim: claimOnEvm,
  order,
  request: (t) => ({
    arkade_htlc_script_version: 1,
    claiming_address: checksummed(t.account),
    evm_chain_id: chainIdOf(t.chain),
    hash_lock: `0x${toHex(t.hash)}`,
    refund_pk: toHex(t.key),
    target_address: checksummed(t.destination),
    token_address: checksummed((t.exchange?.token ?? t.pegged).address),
    user_id: t.userId,
    amount_in: Number(t.sourceAmount),
    gasless: t.gasless,
  }),
  verify: verifyArkadeEvm,
  window: fundingWindow,
  restorable,
  neverRefunded: null,
});
