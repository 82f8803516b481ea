import { aims } from './aims.ts';
import { simulateClaims, simulateFundings, simulateSeeds } from './fees/simulate.ts';
import { heldOutNames, traceNames } from './fees/trace.ts';
import type { Setting } from './setting.ts';

const seed = 1;
/** Claims in each of the fresh weeks of a trace, of which there are a tenth as many as claims in the first. */
const eachWeek = 10;

/**
 * B10: what the engine's own fee code pays for claims and fundings on made-up weeks of a chain, and what it loses,
 * beside one who knows every block that comes (`fees/claims.ts` says what hindsight is), one who is `informed` of their
 * rates and not of their order, the best of many rules that know the blocks so far (`fees/best-rule.ts`), which sets
 * the aim, and two plain policies; `byMeans` is the engine's by a source that tells what blocks
 * paid in the mean, as of btcd. The same seed gives the same blocks and the same claims.
 */
export async function feeTraces({ size: { fees: claims }, print }: Pick<Setting, 'size' | 'print'>): Promise<void> {
  const reachable = new Map<string, number>();
  for (const trace of [...traceNames, ...heldOutNames]) {
    const facts = await simulateClaims(trace, claims, seed);
    reachable.set(trace, overpayAim(facts.bestRule.overpay));
    print('B10', {
      trace,
      what: heldOutNames.includes(trace) ? 'claims, held out' : 'claims',
      ...facts,
      aim: { sluice: { ...aims.fees, overpay: reachable.get(trace) } },
      floor: { overpay: 1, of: 'hindsight: the cheapest block before the deadline, known in advance' },
    });
  }
  const seeds = Array.from({ length: Math.ceil(claims / 10) }, (_, i) => 1_001 + i);
  for (const trace of [...traceNames, ...heldOutNames])
    print('B10', {
      trace,
      what: `claims, ${eachWeek} of each of many seeds`,
      ...(await simulateSeeds(trace, eachWeek, seeds)),
      aim: { lost: aims.fees.lost, meanOverpay: reachable.get(trace) },
    });
  for (const trace of traceNames) {
    const { lost: late, lostSats: _, ...fundings } = await simulateFundings(trace, Math.ceil(claims / 4), seed);
    print('B10', {
      trace,
      what: 'fundings',
      ...fundings,
      notMinedInSixHours: late,
      aim: { overpay: aims.fees.overpay },
      floor: { overpay: 1, of: 'hindsight: the cheapest of the first six blocks, and no child' },
    });
  }
}

/** What is aimed at, or a tenth above what the best rule for the trace reaches, where that is more. */
function overpayAim(bestRule: number | null): number {
  return Math.max(aims.fees.overpay, Math.round((bestRule ?? 0) * 110) / 100);
}
