import { chainIdOf } from '../../../domain/chain.ts';
import { checksummed } from '../../../domain/evm-address.ts';
import { toHex } from '../../../domain/hex.ts';
import { clientOf } from '../../client/client.ts';
import type { EvmLeg } from '../../evm/terms.ts';
import { claimOnArkade } from '../../halves/arkade/claim/half.ts';
import { fundOnEvm } from '../../halves/evm/fund/half.ts';
import type { ArkadeLeg } from '../../terms.ts';
import { fundingWindow } from '../../window.ts';
import { order } from './order.ts';
import { restorable } from './recovered.ts';
import { terms, type TakeEvmArkadeTerms } from './terms.ts';
import { verifyEvmArkade } from './verify.ts';

/**
 * Tokens of ours are locked by our signature, the provider locks on Arkade, and our claim there shows it the secret.
 */
export const takenEvmArkade = clientOf<TakeEvmArkadeTerms, EvmLeg, ArkadeLeg>({
  direction: 'evm-arkade',
  source: 'evm',
  target: 'Arkade',
  needs: ['arkade', 'bitcoin'],
  secret: 'ours',
  terms,
  fund: fundOnEvm,
  claim: claimOnArkade,
  order,
  request: (t) => ({
    arkade_htlc_script_version: 1,
    evm_chain_id: chainIdOf(t.chain),
    hash_lock: `0x${toHex(t.hash)}`,
    receiver_pk: toHex(t.key),
    target_address: t.targetAddress,
    token_address: checksummed(t.pegged.address),
    user_address: checksummed(t.account),
    user_id: t.userId,
    amount_out: Number(t.targetAmount),
    gasless: t.gasless,
  }),
  verify: verifyEvmArkade,
  window: fundingWindow,
  restorable,
  neverRefunded: null,
});
