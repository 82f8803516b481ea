import { chainIdOf } from '../../../domain/chain.ts';
import { toHex } from '../../../domain/hex.ts';
import type { EvmAct } from '../../../legs/evm/acts.ts';
import {
  claimCall,
  deployCall,
  lockCall,
  payCall,
  refundCall,
  relayClaimCall,
  relayFundCall,
  relayRefundCall,
} from '../../../legs/evm/calls.ts';
import type { SwapContracts } from '../../../legs/evm/contracts.ts';
import { refundDigest } from '../../../legs/evm/digests.ts';
import type { EvmEffect } from '../../../legs/evm/effects.ts';
import { refundToCall } from '../../../legs/evm/client-calls.ts';
import type { EvmCall } from '../../../legs/evm/port.ts';
import { hash160OfSha256 } from '../../../legs/secret.ts';
import { swapKey } from '../../../legs/evm/swap-key.ts';
import type { Takes } from '../../../store/nonces.ts';
import { evmOf } from '../../ports.ts';
import type { EvmContext } from './context.ts';
import { preimageOf } from '../preimage.ts';
import { signClaim } from './sign.ts';

export function contractsOf({ contracts }: EvmEffect): SwapContracts {
  if (contracts === null) throw new Error('an act over a lock names no contracts');
  return contracts;
}

/**
 * The call of an act, from its fields and from what was saved for it: preimage and, for a refund that both sides sign,
 * our signature.
 */
export function callOf(effect: EvmEffect, context: EvmContext): EvmCall {
  const { act, network } = effect;
  switch (act.is) {
    case 'pay':
      return payCall(act);
    case 'deploy':
      return deployCall(act);
    case 'lock':
      return lockCall(contractsOf(effect), act.lock);
    case 'refund':
      return refundCall(contractsOf(effect), act.lock);
    case 'relay-fund':
      return relayFundCall(contractsOf(effect), act);
    case 'claim':
      return claimCall(contractsOf(effect), act.lock, preimageOf(hash160OfSha256(act.lock.preimageHash), context));
    case 'relay-claim':
      return relayClaimCall(contractsOf(effect), act, preimageOf(hash160OfSha256(act.lock.preimageHash), context));
    case 'taker-claim': {
      const preimage = preimageOf(hash160OfSha256(act.lock.preimageHash), context);
      const contracts = contractsOf(effect);
      const signature = signClaim({ network, contracts }, act, preimage, context.ports);
      return relayClaimCall(contracts, { ...act, signature }, preimage);
    }
    case 'taker-fund':
      throw new Error('a funding is signed before it is built');
    case 'taker-refund':
      return refundToCall(contractsOf(effect).coordinator, act.lock);
    case 'relay-refund': {
      const contracts = contractsOf(effect);
      const digest = refundDigest({ chainId: chainIdOf(network), contracts }, act);
      return relayRefundCall(contracts, act, evmOf(context.ports, network).signDigest(digest));
    }
  }
}

/** Names the lock that a claim takes, or that goes back to its client: of one swap there may be several. */
export function lockOf(act: EvmAct): { readonly lock?: Uint8Array } {
  return act.is === 'claim' || act.is === 'relay-refund' ? { lock: swapKey(act.lock) } : {};
}

/** What leaves our account by it, gas aside; null for what only brings or passes on. */
export function takesOf(effect: EvmEffect): Takes | null {
  const { act } = effect;
  if (act.is === 'pay') return { token: toHex(act.token), spender: null, amount: act.amount };
  if (act.is !== 'lock') return null;
  const { kind, htlc } = contractsOf(effect);
  const { token, amount } = act.lock;
  return { token: toHex(token), spender: kind === 'native' ? null : toHex(htlc), amount };
}
