import { expect, test } from 'vitest';
import { noSats, sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import type { Event, SwapStep } from '../../engine/swap/machine.ts';
import { bitcoinArkadeCase, bitcoinArkadeTerms } from './bitcoin-arkade-cases.ts';
import { bitcoinLightningCase, bitcoinLightningTerms } from './bitcoin-lightning-cases.ts';
import { arkadeLightningCase, arkadeLightningTerms, clocksAt, coin, otherPoint, start, startHeight } from './cases.ts';

/** Where a swap stands after these looks, and how many coins are listed whose refund we sign. */
function after(
  { machine, terms, first }: typeof arkadeLightningCase | typeof bitcoinArkadeCase,
  looks: readonly (readonly [Event, number])[],
) {
  let progress: unknown = first;
  for (const [event, at] of looks) {
    const step = machine.step(terms as never, progress as never, event, clocksAt(at)) as SwapStep<never> | 'stay';
    if (step !== 'stay') progress = step.progress;
  }
  const { at, why, extras = [] } = progress as { at: string; why?: string; extras?: readonly unknown[] };
  return [at, why, extras.length];
}

const arkade = (...amounts: bigint[]): Event => ({
  is: 'vhtlc.seen',
  coins: amounts.map((amount, vout) => coin({ outpoint: { ...otherPoint, vout }, amount: sats(amount) })),
});
const bitcoin = (now: number, ...amounts: bigint[]): Event => ({
  is: 'htlc.seen',
  coins: amounts.map((amount, vout) => ({
    outpoint: { ...otherPoint, vout },
    amount: sats(amount),
    height: startHeight,
    spend: null,
  })),
  height: startHeight,
  mtp: unix(now),
  asked: unix(now),
});

test('fault 307, arkade: dust alone ends a swap as one that nobody funded, and is listed', () => {
  const { fundBefore, sourceAmount: price } = arkadeLightningTerms;
  const least = (price + 1n) / 2n;
  const ends = (...looks: (readonly [Event, number])[]) => after(arkadeLightningCase, looks);
  expect(ends([arkade(330n), start + 60])).toEqual(['pending', undefined, 0]);
  expect(ends([arkade(330n, least - 1n), fundBefore])).toEqual(['stopped', 'expired', 2]);
  expect(ends([arkade(330n, least), fundBefore])).toEqual(['stopped', 'late', 2]);
  expect(ends([arkade(), fundBefore], [arkade(330n), fundBefore + 60])).toEqual(['stopped', 'expired', 1]);
  expect(ends([arkade(330n), fundBefore], [arkade(330n, price), fundBefore + 60])).toEqual(['stopped', 'late', 2]);
});

test('fault 307, arkade: nor does dust end one whose client had a refund signed', () => {
  const { fundBefore, sourceAmount: price } = arkadeLightningTerms;
  const fenced = { ...arkadeLightningCase, first: { ...arkadeLightningCase.first, fenced: true } };
  const ends = (event: Event, at: number) => after(fenced as typeof arkadeLightningCase, [[event, at]]);
  expect([ends(arkade(330n), start + 60), ends(arkade(330n), fundBefore), ends(arkade(price), start + 60)]).toEqual([
    ['pending', undefined, 0],
    ['stopped', 'expired', 1],
    ['stopped', 'late', 1],
  ]);
});

test('fault 307, bitcoin: dust alone ends a swap as one that nobody funded, and is listed', () => {
  const { fundBefore, sourceAmount: price } = bitcoinArkadeTerms;
  const least = (price + 1n) / 2n;
  const at = (now: number, ...amounts: bigint[]) => [bitcoin(now, ...amounts), now] as const;
  const ends = (...looks: (readonly [Event, number])[]) => after(bitcoinArkadeCase, looks);
  expect(ends(at(start + 60, 1_000n))).toEqual(['pending', undefined, 1]);
  expect(ends(at(fundBefore, 1_000n, least - 1n))).toEqual(['stopped', 'expired', 2]);
  expect(ends(at(fundBefore, 1_000n, least))).toEqual(['stopped', 'invalid', 2]);
  expect(ends(at(fundBefore), at(fundBefore + 60, 1_000n))).toEqual(['stopped', 'expired', 1]);
  expect(ends(at(fundBefore, 1_000n), at(fundBefore + 60, 1_000n, price))).toEqual(['stopped', 'late', 2]);
});

/** A swap to Lightning without its invoice: its price is not agreed to, and the least that it can be is known. */
const least = { sourceAmount: noSats, bolt11: '', leastAmount: sats(10_000n) };

test('fault 319, arkade: dust alone ends a swap without an invoice as one that nobody funded', () => {
  const terms = { ...arkadeLightningTerms, ...least };
  const unnamed = { ...arkadeLightningCase, terms, first: { at: 'unnamed', fenced: false, extras: [] } } as const;
  const ends = (...looks: (readonly [Event, number])[]) => after(unnamed as never, looks);
  const { fundBefore } = terms;
  expect(ends([arkade(330n, 4_999n), start + 60])).toEqual(['unnamed', undefined, 0]);
  expect(ends([arkade(330n, 5_000n), start + 60])).toEqual(['unnamed', undefined, 1]);
  expect(ends([arkade(330n, 4_999n), fundBefore])).toEqual(['stopped', 'expired', 2]);
  expect(ends([arkade(330n, 5_000n), fundBefore])).toEqual(['stopped', 'wont', 2]);
});

test('fault 319, bitcoin: dust alone ends a swap without an invoice as one that nobody funded', () => {
  const terms = { ...bitcoinLightningTerms, ...least };
  const unnamed = { ...bitcoinLightningCase, terms, first: { at: 'unnamed', extras: [] } } as const;
  const ends = (now: number, ...amounts: bigint[]) => after(unnamed as never, [[bitcoin(now, ...amounts), now]]);
  const { fundBefore } = terms;
  expect(ends(start + 60, 1_000n, 4_999n)).toEqual(['unnamed', undefined, 0]);
  expect(ends(start + 60, 1_000n, 5_000n)).toEqual(['unnamed', undefined, 1]);
  expect(ends(fundBefore, 1_000n, 4_999n)).toEqual(['stopped', 'expired', 2]);
  expect(ends(fundBefore, 1_000n, 5_000n)).toEqual(['stopped', 'wont', 2]);
});
