import { describe, expect, test } from 'vitest';
import { asPreimage } from '../../engine/domain/hash.ts';
import { unix } from '../../engine/domain/time.ts';
import type { RescueLeg } from '../../engine/legs/rescue.ts';
import type { LegLook, LegState } from '../../engine/rescue/leg.ts';
import { planOf } from '../../engine/rescue/plan.ts';
import { representatives } from '../swap/table.ts';
import { takeEvmBitcoinCase, terms } from '../taker/evm-bitcoin-cases.ts';
import { takeEvmBitcoin } from '../taker/taken.ts';

/*
 * A client that gave tokens for a coin, and showed its secret for that: what brings it home, by what the two chains
 * show.
 */

const secret = asPreimage(new Uint8Array(32).fill(7));
const at = unix(1_800_000_000);
const reached = representatives(takeEvmBitcoinCase).get('claiming');
const legs =
  reached?.at === 'claiming'
    ? takeEvmBitcoin.rescue?.(terms, { ...reached, target: { ...reached.target, shown: true } })
    : null;
if (legs === null || legs === undefined) throw new Error('nothing is claimed');
const facts = { role: 'client', secret, ...legs } as const;

const look = (state: LegState, over = true): LegLook => ({ state, timelock: { at, over, clock: 'its clock' } });
const standing: LegState = { is: 'standing' };
const takenBack: LegState = { is: 'refunded', final: true };
const silent: LegState = { is: 'unclear', reason: 'nobody answers' };
const planned = (ours: LegState, theirs: LegState, over = true) => planOf(facts, look(ours, over), look(theirs)).do;

describe('a client whose secret is out', () => {
  test('claims the coin as long as there is one, whether its own lock is over or not', () => {
    const theirs: LegState[] = [standing, { is: 'refunded', final: false }];
    expect(theirs.map((state) => planned(standing, state))).toEqual(['claim', 'claim']);
    expect(planned({ is: 'claimed', secret: null, final: true }, standing)).toBe('claim');
    expect(planned(standing, { is: 'claimed', secret, final: false })).toBe('bring-on');
  });

  test('takes its lock back once the provider surely has its coin back, from the timelock on and not before', () => {
    expect([planned(standing, takenBack), planned(standing, takenBack, false)]).toEqual(['refund', 'wait']);
  });

  test('never takes its lock back for a coin that is claimed, is not seen, or of which nobody tells', () => {
    const theirs: LegState[] = [{ is: 'claimed', secret, final: true }, { is: 'nothing' }, silent];
    expect(theirs.map((state) => planned(standing, state))).toEqual(['nothing', 'nothing', 'wait']);
  });

  test('does not leave its lock behind because its chain does not answer', () => {
    expect([planned(silent, takenBack), planned({ is: 'claimed', secret, final: true }, takenBack)]).toEqual([
      'wait',
      'nothing',
    ]);
  });

  test('gives nothing back of a payment, whose way back is its own', () => {
    const payment: RescueLeg = { on: 'lightning', hash: terms.hash };
    expect(planOf({ ...facts, refund: payment }, look(silent), look(takenBack)).do).toBe('nothing');
  });
});

describe('a client whose bundle is older than its claim', () => {
  const older = { ...facts, secret: null, shown: false };
  const plan = (theirs: LegState) => planOf(older, look(standing), look(theirs)).do;

  test('goes on with the claim that its network shows, and takes nothing back for it', () => {
    expect([plan({ is: 'claimed', secret, final: false }), plan({ is: 'claimed', secret, final: true })]).toEqual([
      'bring-on',
      'nothing',
    ]);
    expect(plan(standing)).toBe('refund');
  });
});

describe('a client of whose coins one was taken', () => {
  const atProvider: LegState = { is: 'claimed', secret, final: true };
  const beside = (over: boolean): LegLook => ({ ...look(atProvider, over), beside: true });
  const payment = { ...facts, claim: null };

  test('takes the other one back once all that it bought is its own, from the timelock on and not before', () => {
    const plans = (theirs: LegState) => [true, false].map((over) => planOf(facts, beside(over), look(theirs)).do);
    expect([plans(standing), plans({ is: 'claimed', secret, final: true })]).toEqual([
      ['claim', 'claim'],
      ['refund', 'wait'],
    ]);
    expect([true, false].map((over) => planOf(payment, beside(over), null).do)).toEqual(['refund', 'wait']);
  });

  test('takes back what stands while nothing is to be claimed for it, and never as a provider', () => {
    expect(planOf(payment, look(standing), null).do).toBe('refund');
    expect(planOf({ ...payment, role: 'service' }, look(standing), null).do).toBe('nothing');
  });
});
