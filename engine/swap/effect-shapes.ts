import { arkadeShapes } from '../legs/arkade/effects.ts';
import { evmShapes } from '../legs/evm/effects.ts';
import { lightningShapes } from '../legs/lightning/effects.ts';
import { onchainShapes } from '../legs/onchain/effects.ts';
import { providerShapes } from '../legs/provider/effects.ts';
import type { EffectShapes, Shape } from '../legs/shape.ts';
import type { Effect } from './machine.ts';

/** A line for each network: an effect that is kept in no form does not compile. */
const shapes: EffectShapes<Effect> = {
  ...lightningShapes,
  ...arkadeShapes,
  ...onchainShapes,
  ...evmShapes,
  ...providerShapes,
};

/** In which form effects of this kind are saved now. */
export function effectVersion({ do: kind }: Effect): number {
  return shapes[kind].version;
}

/** What is owed, as it was saved; throws for what this build does not know, or what is damaged. */
export function readEffect(stored: unknown, version: number): Effect {
  const kind = typeof stored === 'object' && stored !== null && 'do' in stored ? String(stored.do) : '';
  if (!isKind(kind)) throw new Error(`an effect of a kind that this build does not know: ${kind}`);
  const shape: Shape<Effect> = shapes[kind];
  return shape.read(stored, version);
}

function isKind(kind: string): kind is Effect['do'] {
  return Object.hasOwn(shapes, kind);
}
