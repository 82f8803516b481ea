import type { TakerDirection } from '../../engine/domain/chain.ts';
import { arkadeLightning } from './arkade-lightning.ts';
import { bitcoinArkade } from './bitcoin-arkade.ts';
import type { PageDirection } from './direction.ts';
import { lightningArkade } from './lightning-arkade.ts';

/** The directions that this page can begin. */
export const shownDirections = [
  'lightning-arkade',
  'arkade-lightning',
  'bitcoin-arkade',
] as const satisfies readonly TakerDirection[];
export type ShownDirection = (typeof shownDirections)[number];

const shown: { readonly [D in ShownDirection]: PageDirection } = {
  'lightning-arkade': lightningArkade,
  'arkade-lightning': arkadeLightning,
  'bitcoin-arkade': bitcoinArkade,
};

/** What the page knows of each direction. A new one is a line here. */
export const pageDirections: typeof shown & { readonly [D in TakerDirection]?: PageDirection } = shown;

/** The one that is chosen before anybody chose. */
export const firstDirection: ShownDirection = 'lightning-arkade';
