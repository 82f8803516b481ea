import type { ProviderEffect } from '../../../legs/provider/effects.ts';
import type { Acts, Lane } from '../act.ts';
import { claimOnEvm, fundOnEvm, refundOnEvm } from './evm.ts';
import { cosignRefund, createSwap } from './swap.ts';

/** Each provider is a side of its own (facts/faults.md 117). */
function laneOf({ provider }: ProviderEffect, begins: boolean): Lane {
  return { side: `provider ${provider}`, begins };
}

export const providerActs: Acts<ProviderEffect> = {
  'provider.create': { run: createSwap, lane: (effect) => laneOf(effect, true) },
  'provider.cosign': { run: cosignRefund, lane: (effect) => laneOf(effect, false) },
  'provider.claim-evm': { run: claimOnEvm, lane: (effect) => laneOf(effect, false) },
  'provider.fund-evm': { run: fundOnEvm, lane: (effect) => laneOf(effect, true) },
  'provider.refund-evm': { run: refundOnEvm, lane: (effect) => laneOf(effect, false) },
};
