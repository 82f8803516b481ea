import { describe, expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { arkadeBitcoin } from '../../engine/swap/directions/arkade-bitcoin.ts';
import { arkadeLightning, type ArkadeLightningProgress } from '../../engine/swap/directions/arkade-lightning.ts';
import { bitcoinLightning, type BitcoinLightningProgress } from '../../engine/swap/directions/bitcoin-lightning.ts';
import type { Event } from '../../engine/swap/machine.ts';
import { arkadeBitcoinCase, arkadeBitcoinTerms } from './arkade-bitcoin-cases.ts';
import { bitcoin, bitcoinArkadeCase, fundPoint, lookAt } from './bitcoin-arkade-cases.ts';
import { bitcoinLightningCase, bitcoinLightningTerms } from './bitcoin-lightning-cases.ts';
import { arkadeLightningCase, arkadeLightningTerms, clocksAt, coin, preimage, start } from './cases.ts';
import { explore } from './explore.ts';

/*
 * Other terms are agreed to where nothing of ours is given, nothing may be, and no refund is signed: everywhere else a
 * machine stays, whatever happened before.
 */

const amended: Event = { is: 'terms.amended' };
const now = clocksAt(start + 60);
const inTime = { fundBefore: arkadeLightningTerms.fundBefore };

test.each([
  ['Arkade to Bitcoin', arkadeBitcoinCase],
  ['Arkade to Lightning', arkadeLightningCase],
  ['Bitcoin to Arkade', bitcoinArkadeCase],
  ['Bitcoin to Lightning', bitcoinLightningCase],
])('%s: of all states only a lock of another amount is judged anew', (_, of) => {
  const { machine, terms } = of as unknown as typeof arkadeBitcoinCase;
  const { states } = explore(of as unknown as typeof arkadeBitcoinCase);
  const moved = states.filter((p) => machine.step(terms, p, amended, now) !== 'stay');
  expect(moved.length).toBeGreaterThan(0);
  for (const p of moved) {
    expect(p).toMatchObject({ at: 'stopped', why: 'invalid' });
    expect('doubt' in p || ('fenced' in p && p.fenced === true)).toBe(false);
    expect('extras' in p && p.extras.some(({ spent }) => !spent)).toBe(true);
    expect(machine.step(terms, p, amended, now)).toMatchObject({ progress: { at: 'pending' }, effects: [] });
    expect(machine.step(terms, p, amended, clocksAt(terms.fundBefore))).toBe('stay');
  }
});

test('what was locked is given for by the new amount, and by no other', () => {
  const half = sats(arkadeBitcoinTerms.sourceAmount - 1_000n);
  const look: Event = { is: 'vhtlc.seen', coins: [coin({ amount: half })] };
  const stopped = arkadeBitcoin.step(arkadeBitcoinTerms, { at: 'pending', fenced: false }, look, now);
  if (stopped === 'stay') return expect.fail('it stays');
  const terms = { ...arkadeBitcoinTerms, sourceAmount: half, targetAmount: sats(1_234n), amended: true } as const;
  const pending = arkadeBitcoin.step(terms, stopped.progress, amended, now);
  if (pending === 'stay') return expect.fail('it stays');
  expect(arkadeBitcoin.step(terms, pending.progress, look, now)).toMatchObject({
    progress: { at: 'funded' },
    effects: [{ do: 'htlc.fund', amount: 1_234n }],
  });
  expect(arkadeBitcoin.step(arkadeBitcoinTerms, pending.progress, look, now)).toMatchObject({
    progress: { at: 'stopped', why: 'invalid' },
  });
});

describe('without its invoice', () => {
  const onArkade: ArkadeLightningProgress = { at: 'unnamed', fenced: false, extras: [] };
  const onChain: BitcoinLightningProgress = { at: 'unnamed', extras: [] };
  const look: Event = { is: 'vhtlc.seen', coins: [coin()], asked: start };
  const unnamed = { ...arkadeLightningTerms, bolt11: '' };
  const settled: Event = { is: 'payment.seen', state: { is: 'settled', preimage, feeMsat: 0n } };

  const noted = (): ArkadeLightningProgress => {
    const step = arkadeLightning.step(unnamed, onArkade, look, now);
    return step === 'stay' ? expect.fail('it stays') : step.progress;
  };

  test('nothing is given for a coin, whatever it holds', () => {
    const step = arkadeLightning.step(unnamed, onArkade, look, now);
    expect(step).toMatchObject({ progress: { at: 'unnamed', extras: [{ spent: false }] }, effects: [] });
    expect([arkadeLightning.status(onArkade), arkadeLightning.status(noted())]).toEqual([
      'pending',
      'clientfundingseen',
    ]);
    expect(arkadeLightning.reserves(noted())).toBe(false);
    const chain = bitcoinLightning.step(bitcoinLightningTerms, onChain, lookAt([bitcoin()]), now);
    expect(chain).toMatchObject({ progress: { at: 'unnamed', extras: [{ outpoint: fundPoint }] }, effects: [] });
  });

  test('the coin is its client’s again where none comes in time', () => {
    const late: Event = { ...look, asked: inTime.fundBefore };
    expect(arkadeLightning.step(unnamed, noted(), late, now)).toMatchObject({
      progress: { at: 'stopped', why: 'wont', fenced: false },
    });
    const nothing: Event = { is: 'vhtlc.seen', coins: [], asked: inTime.fundBefore };
    expect(arkadeLightning.step(unnamed, onArkade, nothing, now)).toMatchObject({
      progress: { at: 'stopped', why: 'expired' },
    });
  });

  test('none is taken once its refund is signed', () => {
    const refund: Event = { is: 'refund.cosign.requested', coins: [] };
    const fenced = arkadeLightning.step(unnamed, noted(), refund, now);
    if (fenced === 'stay') return expect.fail('it stays');
    expect(arkadeLightning.step(arkadeLightningTerms, fenced.progress, amended, now)).toBe('stay');
    const given: Event = {
      ...{ is: 'cosign.given', purpose: 'refund', coin: fundPoint, preimage: null },
      ...{ txid: '5e'.repeat(32), bytes: new Uint8Array(90) },
    };
    const signed = bitcoinLightning.step(bitcoinLightningTerms, onChain, given, now);
    if (signed === 'stay') return expect.fail('it stays');
    expect(bitcoinLightning.step(bitcoinLightningTerms, signed.progress, amended, now)).toBe('stay');
  });

  test('a payment that a copy from before forgot claims what lies there', () => {
    const stopped = { ...noted(), at: 'stopped', why: 'wont', reason: 'late' } as unknown as ArkadeLightningProgress;
    for (const p of [noted(), stopped]) {
      expect(arkadeLightning.watches(unnamed, p)).toContainEqual(
        expect.objectContaining({ on: 'payment', ifNoted: true }),
      );
      expect(arkadeLightning.step(unnamed, p, settled, now)).toMatchObject({
        progress: { at: 'claiming' },
        effects: [{ do: 'vhtlc.claim' }],
        learned: preimage,
      });
    }
    const failed: Event = { is: 'payment.seen', state: { is: 'absent' } };
    expect(arkadeLightning.step(unnamed, noted(), failed, now)).toBe('stay');
  });
});
