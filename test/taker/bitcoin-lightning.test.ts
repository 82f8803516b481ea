import { expect, test } from 'vitest';
import { decode, encode } from '../../engine/store/codec.ts';
import { explore } from '../swap/explore.ts';
import { clocksAtHeight } from '../swap/lightning-bitcoin-cases.ts';
import { bitcoin } from './bitcoin-arkade-cases.ts';
import { refundHeight, takeBitcoinLightningCase as one, waiting } from './bitcoin-lightning-cases.ts';

const { machine, terms, events } = one;

function tellingOf(label: string) {
  const telling = events.find((of) => of.label === label);
  if (telling === undefined) throw new Error(`nothing is called ${label}`);
  return telling;
}

function after(label: string, from: typeof waiting = waiting) {
  const { event, now } = tellingOf(label);
  const step = machine.step(terms, from, event, now);
  if (step === 'stay') throw new Error(`${label} changes nothing`);
  return step;
}

test('what the provider takes with the secret was paid for: the secret is the proof', () => {
  const step = after('bitcoin: claimed in a mempool', after('bitcoin: mined').progress);
  expect(step).toMatchObject({ progress: { at: 'claimed' }, learned: expect.any(Uint8Array) });
  expect(step.flag).toBeUndefined();
});

test('what it does not take comes back once the tip is at the height, and no block sooner', () => {
  const funded = after('bitcoin: mined').progress;
  expect(machine.deadline(terms, funded)).toBe(refundHeight);
  const tick = (tip: number) => machine.step(terms, funded, { is: 'clock' }, clocksAtHeight(tip));
  expect(tick(refundHeight - 1)).toBe('stay');
  expect(tick(refundHeight)).toMatchObject({
    progress: { at: 'refunding', coin: bitcoin().outpoint },
    effects: [{ do: 'htlc.spend', purpose: 'refund' }],
  });
});

test('an address that was never paid is left alone by a look at the height, and by no clock', () => {
  expect(machine.step(terms, waiting, { is: 'clock' }, clocksAtHeight(refundHeight))).toBe('stay');
  expect(after('at the height: nothing').progress).toMatchObject({ at: 'lapsed' });
});

test('terms and every state can be kept and read back', () => {
  const { shape } = machine;
  expect(shape.terms.read(decode(encode(terms)), shape.terms.version)).toEqual(terms);
  const { states } = explore(one);
  expect(states.length).toBeGreaterThan(5);
  expect(states.map((p) => shape.progress.read(decode(encode(p)), shape.progress.version))).toEqual(states);
});
