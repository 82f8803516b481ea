import { expect, test } from 'vitest';
import { takerDirections } from '../../../engine/domain/chain.ts';
import { sats } from '../../../engine/domain/money.ts';
import { seconds } from '../../../engine/domain/time.ts';
import { defaultPolicy as policy } from '../../../engine/legs/timeout-policy.ts';
import { casesOf } from '../../../engine/service/taker/cases.ts';

const ceilings = { claimBps: 5_000 };
const prospect = { source: sats(50_000), target: sats(49_875), costs: sats(125), usual: null } as const;

test.each(takerDirections)(
  '%s: where the operator vanishes too, it takes longer than whatever came before',
  (direction) => {
    const cases = casesOf({ direction, ...prospect, policy, ceilings, exitDelay: seconds(4_096) });
    const spanOf = (name: string) => cases.find((one) => one.case === name)?.seconds ?? 0;
    if (!cases.some((one) => one.case === 'operator')) return;
    const before = direction.startsWith('arkade-') ? 'provider' : 'slow';
    expect(spanOf('operator')).toBeGreaterThan(spanOf(before));
  },
);
