import { describe, expect, test } from 'vitest';
import type { Queue } from '../../engine/legs/leg.ts';
import type { Event } from '../../engine/swap/machine.ts';
import { arkadeBitcoin } from '../../engine/swap/directions/arkade-bitcoin.ts';
import { arkadeBitcoinTerms } from './arkade-bitcoin-cases.ts';
import { clocksAt, start, txid } from './cases.ts';
import { everyCase } from './every-case.ts';
import { explore } from './explore.ts';
import { claimIsFinal, fundingIsFinal, leavingBoth } from './two-chains-cases.ts';

const directions = Object.values(everyCase);

const both = leavingBoth();
const step = (event: Event) => arkadeBitcoin.step(arkadeBitcoinTerms, both, event, clocksAt(start + 60));

describe('a swap with both legs on the Bitcoin chain', () => {
  test('our funding that is buried ends no claim of the coin that left the operator', () => {
    const outcome = step(fundingIsFinal);
    expect(outcome).toMatchObject({
      progress: { at: 'claiming', exit: true, claimTxid: txid.claim, buried: true },
      effects: [],
      ledger: [{ kind: 'network-fee-paid', amount: -300_000n }],
    });
    expect(Object.keys(outcome)).not.toContain('supersedes');
  });

  test('the claim that is buried ends, and drops nothing of the coin that we funded', () => {
    const outcome = step(claimIsFinal);
    expect(outcome).toMatchObject({ progress: { at: 'claimed', buried: false }, effects: [], supersedes: ['arkade'] });
    expect(Object.keys(outcome)).not.toContain('interrupts');
  });

  test('neither is raised, refused, or prepared anew by what becomes of the other', () => {
    const events: Event[] = [
      { is: 'onchain.stuck', leg: 'bitcoin', txid: txid.claim, leastRate: 3 },
      { is: 'onchain.refused', leg: 'bitcoin', txid: txid.claim, why: 'spent', reason: 'another spent it' },
      { is: 'onchain.refused', leg: 'bitcoin', txid: txid.claim, why: 'refused', reason: 'the node says no' },
      {
        is: 'onchain.prepared',
        leg: 'bitcoin',
        purpose: 'claim',
        txid: txid.lock,
        amount: arkadeBitcoinTerms.sourceAmount,
        rate: 2,
        capped: false,
        height: 900_000,
      },
    ];
    expect(events.map((event) => step(event))).toEqual(events.map(() => 'stay'));
  });
});

/** The stages in which nothing that was asked for on either leg is wanted any more. */
function endsBoth(from: string, to: string): boolean {
  return to === 'lost' || to === 'refunded' || (from === 'funded' && to === 'stopped');
}

test.each(directions.map((one) => [one.machine.name, one] as const))(
  '%s: an order to drop is for one leg, but where a stage ends both, and to let a claim begin',
  (name, one) => {
    const pair = name.split('-') as Queue[];
    const wrong = explore(one).moves.flatMap(
      ({ from, label, step: { progress, supersedes = [], interrupts = [] } }) => {
        const [claim] = pair;
        const begins = progress.at === 'claiming' && from.at !== 'claiming';
        const dropped = new Set([...supersedes, ...interrupts.filter((leg) => !begins || leg !== claim)]);
        const isOfPair = [...dropped].every((leg) => pair.includes(leg));
        return isOfPair && (dropped.size < 2 || endsBoth(from.at, progress.at)) ? [] : [`${from.at}: ${label}`];
      },
    );
    expect(wrong).toEqual([]);
  },
);

test.each(directions.map((one) => [one.machine.name, one] as const))(
  '%s: our claim waits for nothing that was asked for at the lock before',
  (name, one) => {
    const begins = explore(one).moves.filter(
      ({ from, step: { progress } }) => progress.at === 'claiming' && from.at !== 'claiming',
    );
    expect(begins.length).toBeGreaterThan(0);
    expect(begins.filter(({ step }) => step.interrupts?.includes(name.split('-')[0] as Queue) !== true)).toEqual([]);
  },
);
