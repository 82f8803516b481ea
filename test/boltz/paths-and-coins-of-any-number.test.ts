import { expect, test } from 'vitest';
import { priceOfGiven } from '../../engine/boltz/price.ts';
import { largestOf } from '../../engine/boltz/quote.ts';
import { operationAt } from '../../engine/boltz/routes.ts';
import { createTellings } from '../../engine/boltz/tellings.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Rate } from '../../engine/quote/fees.ts';

const rateOf = (networkFee: number): Rate => ({ bps: 25, flat: sats(10), networkFee: sats(networkFee) });

test('fault 235: a path of any length costs nothing before the allowance of its client is asked', () => {
  const begun = process.cpuUsage();
  // Ten of each, as long as a request may be.
  for (let at = 0; at < 10; at++) {
    expect(operationAt('GET', `swap/${'/'.repeat(16_000)}a`)).toBe(null);
    expect(operationAt('GET', '/a'.repeat(8_000))).toBe(null);
    expect(operationAt('POST', 'a'.repeat(16_000))).toBe(null);
  }
  expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(1_000);
});

test('fault 235: the longest path there is has its operation, with slashes at its end and without', () => {
  const txid = 'ab'.repeat(32);
  for (const end of ['', '/', '///']) {
    expect(operationAt('GET', `chain/BTC/transaction/${txid}${end}`)?.id).toBe(txid);
    expect(operationAt('GET', `swap/submarine/abcdefghijkl/invoice/amount${end}`)?.id).toBe('abcdefghijkl');
  }
  expect([operationAt('GET', ''), operationAt('GET', '///')]).toEqual([null, null]);
});

test('fault 236: what costs the same is reckoned with once, however often the limits moved', () => {
  const tellings = createTellings(() => 0);
  for (let at = 0; at < 1_000; at++) tellings.note('pair', String(at), rateOf(at % 4));
  expect(tellings.rates('pair')).toEqual([0, 1, 2, 3].map(rateOf));
  expect(tellings.byHash('pair', '999')).toEqual(rateOf(3));
});

test('fault 236: of hundreds of coins at a lock the largest are quoted, its client’s own among them', () => {
  const dust = Array.from({ length: 400 }, (_, at) => sats(1_000 + (at % 200)));
  const own = sats(70_000);
  const quoted = largestOf([...dust, own, ...dust, sats(90_000)]);
  expect([quoted.length, ...quoted.slice(0, 3)]).toEqual([20, 90_000n, 70_000n, 1_199n]);
  const targets = quoted.map((amount) => priceOfGiven(amount, rateOf(200)).target);
  expect(targets).toContain(priceOfGiven(own, rateOf(200)).target);
  expect(targets[0]).toBe(targets.reduce((most, one) => (one > most ? one : most)));
});
