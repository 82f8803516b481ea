import { expect, test } from 'vitest';
import { day, hour, minute, seconds } from '../../../engine/domain/time.ts';
import { ceil512, vhtlcDelays } from '../../../engine/legs/vhtlc/ladder.ts';

test('the delays climb from the exit delay, and the last outlives funding window, leg and margin', () => {
  const window = seconds(30 * minute);
  expect([
    vhtlcDelays({ exitDelay: seconds(512), fundingWindow: window, leg: day }),
    vhtlcDelays({ exitDelay: day, fundingWindow: window, leg: day }),
    vhtlcDelays({ exitDelay: seconds(600), fundingWindow: seconds(0), leg: hour, margin: seconds(0) }),
  ]).toEqual([
    { claimDelay: 512, refundDelay: 1_024, refundWithoutReceiverDelay: ceil512(1_800 + 86_400 + 7_200) },
    { claimDelay: 86_528, refundDelay: 173_056, refundWithoutReceiverDelay: 259_584 },
    { claimDelay: 1_024, refundDelay: 2_048, refundWithoutReceiverDelay: 3_600 - (3_600 % 512) + 512 },
  ]);
});

test('a span is rounded up to whole units, one at least', () => {
  expect([0, 1, 512, 513, 95_400].map(ceil512)).toEqual([512, 512, 512, 1_024, 95_744]);
});
