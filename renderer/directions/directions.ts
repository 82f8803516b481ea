import type { TakerDirection } from '../../engine/domain/chain.ts';
import { arkadeLightning } from './arkade-lightning.ts';
import type { PageDirection } from './direction.ts';
import { lightningArkade } from './lightning-arkade.ts';

/** What the page knows of each direction. A new one is a line here. */
export const pageDirections: { readonly [D in TakerDirection]: PageDirection } = {
  'lightning-arkade': lightningArkade,
  'arkade-lightning': arkadeLightning,
};

/** The one that is chosen before anybody chose. */
export const firstDirection: TakerDirection = 'lightning-arkade';
