import { chainIdOf } from '../../../domain/chain.ts';
import { checksummed } from '../../../domain/evm-address.ts';
import { toHex } from '../../../domain/hex.ts';
import { clientOf } from '../../client/client.ts';
import { claimOnBitcoin } from '../../halves/bitcoin/claim/half.ts';
import { fundOnEvm } from '../../halves/evm/fund/half.ts';
import { fundingWindow } from '../../window.ts';
import type { EvmLeg } from '../../evm/terms.ts';
import type { BitcoinLeg } from '../../terms.ts';
import { order } from './order.ts';
import { restorable } from './recovered.ts';
import { terms, type TakeEvmBitcoinTerms } from './terms.ts';
import { verifyEvmBitcoin } from './verify.ts';

/**
 * Tokens of ours are locked by our signature, the provider pays on the Bitcoin chain, and our claim there shows it the
 * secret.
 */
export const takenEvmBitcoin = clientOf<TakeEvmBitcoinTerms, EvmLeg, BitcoinLeg>({
  direction: 'evm-bitcoin',
  source: 'evm',
  target: 'Bitcoin',
  needs: ['bitcoin'],
  secret: 'ours',
  terms,
  fund: fundOnEvm,
  claim: claimOnBitcoin,
  order,
  request: (t) => ({
    btc_htlc_script_version: 1,
    claim_pk: toHex(t.key),
    evm_chain_id: chainIdOf(t.chain),
    hash_lock: `0x${toHex(t.hash)}`,
    token_address: checksummed(t.pegged.address),
    user_address: checksummed(t.account),
    user_id: t.userId,
    amount_out: Number(t.targetAmount),
    gasless: t.gasless,
  }),
  verify: verifyEvmBitcoin,
  window: fundingWindow,
  restorable,
  neverRefunded: null,
});
