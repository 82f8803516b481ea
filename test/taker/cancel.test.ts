import { describe, expect, test } from 'vitest';
import type { TakerDirection } from '../../engine/domain/chain.ts';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import { takenDirections } from '../../engine/taker/directions.ts';
import type { TakerProgress } from '../../engine/taker/terms.ts';
import { coin, coinPoint, start } from '../swap/cases.ts';
import { evmClocksAt } from '../swap/evm-lightning-cases.ts';
import { fundDeal } from './cases.ts';
import { everyCase, type AnyCase } from './every-case.ts';

const now = evmClocksAt(start + 120);
const cancel = { is: 'cancel.requested' } as const;
const overAtOnce: readonly TakerDirection[] = ['evm-lightning', 'evm-bitcoin', 'evm-arkade'];

function after({ machine, terms }: AnyCase, progress: TakerProgress, event: Parameters<typeof machine.step>[2]) {
  const step = machine.step(terms, progress, event, now);
  return step === 'stay' ? null : step;
}

describe.each(Object.entries(everyCase) as [TakerDirection, AnyCase][])('%s, cancelled', (name, one) => {
  const { machine, terms, first } = one;
  const cancelled = after(one, first, cancel)?.progress as TakerProgress;

  test('asks nobody to pay any more, and promises nothing', () => {
    const facts = takenDirections[name].facts(terms, cancelled, now);
    const { phase, turn, outcome } = takenDirections[name].steps(cancelled, terms);
    expect([facts.pay, facts.paid.state, phase === 'pay', turn.step]).toEqual([null, 'none', false, 'closed']);
    expect(outcome).toBe(overAtOnce.includes(name) ? 'unpaid' : null);
    expect(machine.shape.progress.read(cancelled, machine.shape.progress.version)).toEqual(cancelled);
  });

  test('is watched as before where anybody can still pay, and over where nobody can without a signature', () => {
    if (overAtOnce.includes(name)) expect(machine.open(terms, cancelled)).toBe(false);
    else
      expect([machine.open(terms, cancelled), machine.watches(terms, cancelled)]).toEqual([
        true,
        machine.watches(terms, first),
      ]);
  });

  test('is not cancelled twice, nor where it was found again from words', () => {
    expect(after(one, cancelled, cancel)).toBe(null);
    const restored = { ...terms, restored: unix(start) };
    expect(machine.step(restored, first, cancel, now)).toBe('stay');
  });
});

test('what is paid on Arkade all the same is asked back at once, and goes on where the provider declines', () => {
  const one = everyCase['arkade-lightning'];
  const own = coin({ outpoint: coinPoint, amount: sats(fundDeal.source.amount), script: fundDeal.source.script });
  const cancelled = after(one, one.first, cancel)?.progress as TakerProgress;
  const funded = after(one, cancelled, { is: 'vhtlc.seen', coins: [own] })?.progress as TakerProgress;
  const asking = after(one, funded, { is: 'provider.seen', status: 'clientfunded' });
  expect([funded.at, asking?.progress.at, asking?.effects.map((effect) => effect.do)]).toEqual([
    'funded',
    'asking',
    ['provider.cosign'],
  ]);
  const declined = after(one, asking?.progress as TakerProgress, { is: 'provider.declined', reason: 'it is locked' });
  const later = { ...(declined?.progress as object), notBefore: null } as unknown as TakerProgress;
  expect(after(one, later, { is: 'provider.seen', status: 'serverfunded' })?.progress.at).toBe('funded');
});

test('tokens that reach the account later are not signed away for a swap that was cancelled', () => {
  const one = everyCase['evm-lightning'];
  const signed = { ...one.first, signedUntil: unix(start + 600) } as TakerProgress;
  const cancelled = after(one, signed, cancel)?.progress as TakerProgress;
  const balance = one.events.find(({ label }) => label === 'the tokens');
  expect([cancelled.at, after(one, cancelled, balance!.event)]).toEqual(['waiting', null]);
});
