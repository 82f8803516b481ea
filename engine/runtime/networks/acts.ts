import type { Effect } from '../../swap/machine.ts';
import type { Act, Acts, Lane } from './act.ts';
import { arkadeActs } from './arkade/execute.ts';
import type { Contexts } from './contexts.ts';
import { evmActs } from './evm/execute.ts';
import { forwardActs } from './evm/forward.ts';
import { lightningActs } from './lightning/execute.ts';
import { onchainActs } from './onchain/execute.ts';
import { providerActs } from './provider/execute.ts';

/** A line for each network: an effect that none of them carries out does not compile. */
const acts: Acts<Effect, keyof Contexts> = {
  ...lightningActs,
  ...arkadeActs,
  ...onchainActs,
  ...evmActs,
  ...forwardActs,
  ...providerActs,
};

export function actOf(effect: Effect): Act<Effect, keyof Contexts> {
  return acts[effect.do];
}

export function laneOf(effect: Effect): Lane {
  return actOf(effect).lane(effect);
}
