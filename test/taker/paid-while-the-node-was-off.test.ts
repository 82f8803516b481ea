import { expect, test } from 'vitest';
import { unix, type Clocks } from '../../engine/domain/time.ts';
import type { Event } from '../../engine/swap/machine.ts';
import type { ArkadeLeg, TakerProgress } from '../../engine/taker/terms.ts';
import { coin, startHeight } from '../swap/cases.ts';
import { evmClocksAt } from '../swap/evm-lightning-cases.ts';
import { everyCase } from './every-case.ts';

function paidLeg({ deal }: TakerProgress): ArkadeLeg {
  if (deal?.source.on !== 'arkade') throw new Error('nothing is paid on Arkade');
  return deal.source as ArkadeLeg;
}

const fromArkade = ['arkade-lightning', 'arkade-evm', 'arkade-bitcoin'] as const;

test.each(fromArkade)(
  'fault 124, arkade: %s, paid while the node was off past the locktime, comes back',
  (direction) => {
    const { machine, terms, first } = everyCase[direction];
    const source = paidLeg(first);
    const { refundLocktime } = source.vhtlc;
    const late: Clocks = {
      ...evmClocksAt(refundLocktime + 7_200),
      bitcoin: { mtp: unix(refundLocktime + 1), height: startHeight + 1_000 },
    };
    const hear = (p: TakerProgress, event: Event) => machine.step(terms, p, event, late);
    expect(hear(first, { is: 'clock' })).toBe('stay');
    const paid = hear(first, { is: 'vhtlc.seen', coins: [coin({ amount: source.amount, script: source.script })] });
    expect(paid === 'stay' ? paid : hear(paid.progress, { is: 'clock' })).toMatchObject({
      progress: { at: 'refunding' },
      effects: [{ do: 'vhtlc.refund' }],
    });
    const unpaid = hear(first, { is: 'vhtlc.seen', coins: [] });
    expect(unpaid === 'stay' || [unpaid.progress.at, machine.open(terms, unpaid.progress)]).toEqual(['lapsed', false]);
  },
);

test.each(fromArkade)('%s: found again, nothing that its operator does not know ends it at once', (direction) => {
  const { machine, terms, first } = everyCase[direction];
  const { refundLocktime } = paidLeg(first).vhtlc;
  const restored = unix(refundLocktime + 7_200);
  const at = (wall: number): Clocks => ({
    ...evmClocksAt(wall),
    bitcoin: { mtp: unix(refundLocktime + 1), height: startHeight + 1_000 },
  });
  const empty: Event = { is: 'vhtlc.seen', coins: [] };
  const [soon, later] = [60, 601].map((passed) =>
    machine.step({ ...terms, restored }, first, empty, at(restored + passed)),
  );
  expect([soon, later]).toMatchObject(['stay', { progress: { at: 'lapsed' } }]);
});
