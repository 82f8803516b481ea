import type { ProviderEffect } from '../../../legs/provider/effects.ts';
import { within, type Acts, type Lane } from '../act.ts';
import { claimOnEvm, fundOnEvm, refundOnEvm } from './evm.ts';
import { cosignHtlc } from './joint.ts';
import { signClaim } from './sign-claim.ts';
import { cosignRefund, createSwap } from './swap.ts';

/** Each provider is a side of its own (facts/faults.md 117). */
function laneOf({ provider }: ProviderEffect, begins: boolean): Lane {
  return { side: `provider ${provider}`, begins };
}

const on = within('provider');

export const providerActs: Acts<ProviderEffect, 'provider'> = {
  'provider.create': { run: on(createSwap), lane: (effect) => laneOf(effect, true) },
  'provider.cosign': { run: on(cosignRefund), lane: (effect) => laneOf(effect, false) },
  'provider.cosign-htlc': { run: on(cosignHtlc), lane: (effect) => laneOf(effect, false) },
  'provider.sign-claim': { run: on(signClaim), lane: (effect) => laneOf(effect, false) },
  'provider.claim-evm': { run: on(claimOnEvm), lane: (effect) => laneOf(effect, false) },
  'provider.fund-evm': { run: on(fundOnEvm), lane: (effect) => laneOf(effect, true) },
  'provider.refund-evm': { run: on(refundOnEvm), lane: (effect) => laneOf(effect, false) },
};
