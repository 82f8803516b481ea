import { expect, test } from 'vitest';
import type { Clocks } from '../../engine/domain/time.ts';
import { burialDepth } from '../../engine/legs/onchain/depth.ts';
import { stands } from '../../engine/swap/halves/arkade/exit.ts';
import { clocksAt, coin, spentBy, start, startHeight } from './cases.ts';

/*
 * Whether a spend on the chain stands is judged by the height of the chain's clock. That is the height of a tip whose
 * headers link to what is known (facts/faults.md 49): a clock that lies can only be late, and then a spend that stands
 * is waited for, which costs nothing.
 */

const mined = startHeight - burialDepth + 1;
const exited = (height: number | null) => coin({ ...spentBy.clientClaim, unrolled: true, onChain: { height } });

function clock(height: number | null, ahead?: number): Clocks {
  const now = clocksAt(start);
  const reading = { ...now.bitcoin, height };
  return {
    ...now,
    bitcoin: ahead === undefined ? reading : { ...reading, ahead: { mtp: reading.mtp, height: ahead } },
  };
}

test('fault 49: a clock that is late, or not read, or ahead by the word of Lightning alone buries nothing', () => {
  expect([
    stands(exited(mined), clock(startHeight)),
    stands(exited(mined), clock(startHeight - 1)),
    stands(exited(mined), clock(null)),
    stands(exited(mined + 1), clock(startHeight, startHeight + 100)),
    stands(exited(null), clock(startHeight)),
    stands(coin(), clock(null)),
  ]).toEqual([true, false, false, false, false, true]);
});
