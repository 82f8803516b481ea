import type { Effect } from '../../swap/machine.ts';
import type { Act, Acts, Lane } from './act.ts';
import { arkadeActs } from './arkade/execute.ts';
import type { Contexts } from './contexts.ts';
import { evmActs } from './evm/execute.ts';
import { contractActs } from './evm/own-contracts.ts';
import { forwardActs } from './evm/forward.ts';
import { lightningActs } from './lightning/execute.ts';
import { onchainActs } from './onchain/execute.ts';
import { providerActs } from './provider/execute.ts';

/** How every effect is carried out, or told that it is not. */
export type EveryAct = Acts<Effect, keyof Contexts>;

/** A line for each network: an effect that none of them carries out does not compile. */
const acts: EveryAct = {
  ...lightningActs,
  ...arkadeActs,
  ...onchainActs,
  ...evmActs,
  ...forwardActs,
  ...contractActs,
  ...providerActs,
};

export function actOf(effect: Effect, of: EveryAct = acts): Act<Effect, keyof Contexts> {
  return of[effect.do];
}

export function laneOf(effect: Effect): Lane {
  return actOf(effect).lane(effect);
}
