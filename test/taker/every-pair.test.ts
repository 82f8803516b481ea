import { afterAll, describe, expect, test } from 'vitest';
import type { Leg } from '../../engine/legs/leg.ts';
import { gamesLimit } from '../swap/dice.ts';
import { everyPair } from './every-pair-explore.ts';
import { claims, funds } from './every-pair-halves.ts';
import { faultsOf, type Findings } from './every-pair-rules.ts';

/*
 * Every half with which a client funds beside every half with which it claims, whether or not a direction offers the
 * pair: whatever either tells, in every stage in which it can tell it.
 */

const explored = new Map<string, Findings>();

function explorePairOnce(fund: Leg, claim: Leg): Findings {
  const name = `${fund}-${claim}`;
  const findings = explored.get(name) ?? faultsOf(fund, claim);
  explored.set(name, findings);
  return findings;
}

/** A payee's secret proves its payment, and nothing but the payment is ever bought with it. */
function isPayment(claim: Leg): boolean {
  return claims[claim].half.look === null;
}

/** What keeps the halves of this pair from telling it, while others of the same network do; null where nothing does. */
function whyNever(fund: Leg, claim: Leg, entry: string): string | null {
  const [at = '', answer = ''] = entry.split(' | ');
  const { fields, leg } = funds[fund].half;
  if (answer === 'claim told: null') return 'any event is told of in any stage';
  if (at !== 'claiming' && !Object.hasOwn(fields.stages, at)) return 'the half that funds has no such stage';
  if (leg === 'evm' && at === 'waiting' && answer.startsWith('claim offered'))
    return 'nothing is claimed for tokens that are not locked';
  if (leg !== 'arkade' && (at === 'asking' || at === 'refunding') && answer.startsWith('claim offered'))
    return 'with one refund under way there is nothing more, but for coins on Arkade';
  if (isPayment(claim)) {
    if (at === 'claiming' || at === 'lost' || answer.endsWith('forfeited')) return 'a payment is not claimed';
    if (/moves to lost$/.test(answer)) return 'a payment is not taken back';
    if (leg === 'arkade' && at === 'funded' && answer.endsWith('to lapsed')) return 'a payment waits for our coins';
    return leg === 'arkade' && at === 'claimed' ? 'what a payment took is over' : null;
  }
  return answer === 'fund step: moves to claimed' ? 'what a secret of ours took is not paid for by that' : null;
}

/** What the halves of the pair told beside any half at all. */
function mayTell(fund: Leg, claim: Leg): string[] {
  const all = everyPair.flatMap(([, otherFund, otherClaim]) =>
    [...explorePairOnce(otherFund, otherClaim).pair.entries].filter((entry) =>
      entry.includes('| fund') ? otherFund === fund : otherClaim === claim,
    ),
  );
  return [...new Set(all)];
}

/** States, steps, and answers of a half by the stage in which it gave them. */
const counts: Readonly<Record<string, string>> = {
  'arkade-bitcoin': '3043 56329 49',
  'arkade-evm': '2684 45608 63',
  'arkade-lightning': '385 4583 23',
  'bitcoin-arkade': '2704 59936 45',
  'bitcoin-evm': '2892 59918 54',
  'bitcoin-lightning': '460 7962 27',
  'evm-arkade': '412 5523 46',
  'evm-bitcoin': '432 5027 46',
  'evm-lightning': '84 628 34',
  'lightning-arkade': '40 678 13',
  'lightning-bitcoin': '35 511 12',
  'lightning-evm': '40 513 15',
};

afterAll(() => {
  explored.clear();
});

describe('whatever two halves a client puts together', gamesLimit, () => {
  test.each(everyPair)('%s: nothing of it can be lost', (name, fund, claim) => {
    const { wrong, pair } = explorePairOnce(fund, claim);
    expect(wrong).toEqual([]);
    expect(pair.counts).toBe(counts[name]);
  });

  test.each(everyPair)('%s: the join hears whatever its halves can tell', (_, fund, claim) => {
    const { entries } = explorePairOnce(fund, claim).pair;
    const missing = mayTell(fund, claim).filter((entry) => !entries.has(entry));
    expect(missing.filter((entry) => whyNever(fund, claim, entry) === null)).toEqual([]);
  });

  test.each(everyPair)('%s: its terms have one name for one thing', (_, fund, claim) => {
    expect(explorePairOnce(fund, claim).pair.clashes()).toEqual([]);
  });
});
