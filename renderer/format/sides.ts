import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import type { Sides } from '../words/en/steps.ts';
import { shortText } from './amount.ts';
import { words } from '../words/words.ts';
import { givenOf } from '../records/payment.ts';
import { networkName } from './networks.ts';

/** What is given and got, where, in words. Once it was seen, what was really given. */
export function sidesOf(swap: TakerSwap): Sides {
  const { give, get } = swap;
  return {
    give: shortText(givenOf(swap)),
    giveOn: networkName(give.network),
    get: get.least === undefined ? shortText(get) : words.parts.atLeast(shortText({ ...get, amount: get.least })),
    getOn: networkName(get.network),
  };
}
