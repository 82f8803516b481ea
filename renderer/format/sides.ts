import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import type { Sides } from '../words/en/steps.ts';
import { shortText } from './amount.ts';
import { networkName } from './networks.ts';

/** What is given and got, where, in words. */
export function sidesOf({ give, get }: TakerSwap): Sides {
  return {
    give: shortText(give),
    giveOn: networkName(give.network),
    get: shortText(get),
    getOn: networkName(get.network),
  };
}
