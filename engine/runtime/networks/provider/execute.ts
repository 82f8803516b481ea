import type { ProviderEffect } from '../../../legs/provider/effects.ts';
import type { Acts } from '../act.ts';
import { claimOnEvm, fundOnEvm, refundOnEvm } from './evm.ts';
import { cosignRefund, createSwap } from './swap.ts';

export const providerActs: Acts<ProviderEffect> = {
  'provider.create': { run: createSwap, lane: () => ({ side: 'provider', begins: true }) },
  'provider.cosign': { run: cosignRefund, lane: () => ({ side: 'provider', begins: false }) },
  'provider.claim-evm': { run: claimOnEvm, lane: () => ({ side: 'provider', begins: false }) },
  'provider.fund-evm': { run: fundOnEvm, lane: () => ({ side: 'provider', begins: true }) },
  'provider.refund-evm': { run: refundOnEvm, lane: () => ({ side: 'provider', begins: false }) },
};
