import { expect, test } from 'vitest';
import { decode, encode } from '../../engine/store/codec.ts';
import { takenArkadeBitcoin } from '../../engine/taker/directions/arkade-bitcoin.ts';
import { clocksAt, start } from '../swap/cases.ts';
import { explore } from '../swap/explore.ts';
import { htlc, line, takeArkadeBitcoinCase as of } from './arkade-bitcoin-cases.ts';
import type { TakeArkadeBitcoinProgress } from './taken.ts';

const { machine, terms, first, events } = of;
const { states, moves } = explore(of);

function step(p: TakeArkadeBitcoinProgress, label: string) {
  const telling = events.find((one) => one.label === label);
  if (telling === undefined) throw new Error(`nothing is called ${label}`);
  return machine.step(terms, p, telling.event, telling.now);
}

function after(...labels: readonly string[]): TakeArkadeBitcoinProgress {
  return labels.reduce((p, label) => {
    const outcome = step(p, label);
    return outcome === 'stay' ? expect.fail(`${p.at} stays at ${label}`) : outcome.progress;
  }, first);
}

function doing(p: TakeArkadeBitcoinProgress, label: string): string[] {
  const outcome = step(p, label);
  if (outcome === 'stay') return [];
  return outcome.effects.map((effect) => ('purpose' in effect ? `${effect.do} ${effect.purpose}` : effect.do));
}

test('terms and every state can be kept and read back', () => {
  const { shape } = machine;
  expect(shape.terms.read(decode(encode(terms)), shape.terms.version)).toEqual(terms);
  expect(states.map((p) => shape.progress.read(decode(encode(p)), shape.progress.version))).toEqual(states);
});

test('the secret is shown for a whole deep coin, 16 blocks before its refund at the latest', () => {
  const funded = after('a coin');
  const claims = events.map(({ label }) => label).filter((label) => doing(funded, label).includes('htlc.spend claim'));
  expect(claims).toEqual(expect.arrayContaining(['the coin', 'the coin, at the last height']));
  for (const not of ['the coin, in no block', 'a coin of less', 'the coin, one block too late', 'taken back, buried'])
    expect(claims).not.toContain(not);
  expect(htlc.refundHeight - line).toBe(16);
});

test('the last look before the secret leaves is by the height, and the claim is hurried to it', () => {
  const funded = after('a coin');
  const begun = step(funded, 'the coin');
  if (begun === 'stay') throw new Error('nothing is claimed');
  expect(begun.effects).toMatchObject([{ do: 'htlc.spend', purpose: 'claim', deadline: htlc.refundHeight }]);
  // Its provider is asked first, by the same look, and is waited for no longer than that.
  expect(step(begun.progress, 'claim prepared')).toMatchObject({
    effects: [
      {
        do: 'provider.cosign-htlc',
        purpose: 'claim',
        deadline: htlc.refundHeight,
        onlyIf: { notAfter: line, paidOut: { refundLocktime: htlc.refundHeight, targetAmount: terms.targetAmount } },
      },
    ],
  });
});

test('fault 303, arkade: a coin that the provider took for our secret is written down once', () => {
  const claiming = after('a coin', 'the coin', 'claim prepared');
  const looks = events.filter(({ event }) => event.is === 'vhtlc.seen');
  const claims = looks.flatMap(({ label }) => {
    const outcome = step(claiming, label);
    return outcome !== 'stay' && outcome.learned !== undefined ? [[label, outcome.progress] as const] : [];
  });
  expect(claims.length).toBeGreaterThan(0);
  for (const [label, p] of claims) expect(step(p, label)).toBe('stay');
});

test('our coins are asked back while nothing is claimed, and looked alone from their locktime on', () => {
  const funded = after('a coin');
  expect(doing(funded, 'the owner wants it back')).toContain('provider.cosign');
  expect(doing(funded, 'our own refund open')).toContain('vhtlc.refund');
  expect(doing(after('a coin', 'the coin'), 'our own refund open')).not.toContain('vhtlc.refund');
});

test('a refund is offered only to whom the provider would sign one: not while its coin is there', () => {
  const offers = [after('a coin'), after('a coin', 'the coin, in no block')].map((p) => {
    const { state, why } = takenArkadeBitcoin.facts(terms, p, clocksAt(start)).refund;
    return `${state}: ${why}`;
  });
  expect(offers).toEqual(['possible: in-progress', 'later: provider-locked']);
});

test('while a claim of ours may be out, nothing of ours is asked back', () => {
  const wrong = moves.filter(
    ({ from, step: { effects } }) =>
      from.at === 'claiming' &&
      effects.some((effect) => effect.do === 'provider.cosign' || effect.do === 'vhtlc.refund'),
  );
  expect(wrong.map(({ label }) => label)).toEqual([]);
});
