import { expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import { decode, encode } from '../../engine/store/codec.ts';
import { takenBitcoinLightning } from '../../engine/taker/directions/bitcoin-lightning.ts';
import { start, startHeight } from '../swap/cases.ts';
import { explore } from '../swap/explore.ts';
import { clocksAtHeight } from '../swap/lightning-bitcoin-cases.ts';
import { bitcoin } from './bitcoin-arkade-cases.ts';
import { deal, refundHeight, takeBitcoinLightningCase as one, waiting } from './bitcoin-lightning-cases.ts';

const { machine, terms, events } = one;
const emptyLook = { coins: [], height: startHeight, mtp: unix(start), asked: unix(start) } as const;

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

test('what the provider gives nothing for comes back with its signature, or by the height without', () => {
  const funded = after('bitcoin: mined').progress;
  const asking = after('provider: serverwontfund', funded);
  expect(asking).toMatchObject({
    progress: { at: 'asking', coin: bitcoin().outpoint },
    effects: [{ do: 'provider.cosign-htlc', purpose: 'refund', swapId: deal.swapId, coin: bitcoin().outpoint }],
  });
  const signed = after('both: signed', asking.progress);
  expect(signed).toMatchObject({ progress: { at: 'refunding', joint: true }, effects: [{ do: 'onchain.broadcast' }] });
  // A dearer one is signed by both as well, before the height; without the provider it is waited for.
  const dearer = after('both: stuck', signed.progress);
  expect(dearer.effects).toMatchObject([{ do: 'provider.cosign-htlc', leastRate: 4 }]);
  const without = after('both: declined', dearer.progress);
  expect(without.effects).toMatchObject([{ do: 'htlc.spend', purpose: 'refund' }]);
  expect(after('both: seen, buried', without.progress).progress).toMatchObject({ at: 'done' });
  const declined = after('both: declined', asking.progress);
  expect(declined.progress).toMatchObject({ at: 'funded', declined: { reason: 'not now' } });
  const { event } = tellingOf('provider: serverwontfund');
  const soon = tellingOf('both: declined').now;
  expect(machine.step(terms, declined.progress, event, soon)).not.toMatchObject({ progress: { at: 'asking' } });
  const later = { ...soon, wall: unix(soon.wall + 60) };
  expect(machine.step(terms, declined.progress, event, later)).toMatchObject({ progress: { at: 'asking' } });
  const alone = machine.step(terms, asking.progress, { is: 'clock' }, clocksAtHeight(refundHeight));
  expect(alone).toMatchObject({ progress: { at: 'refunding' }, effects: [{ do: 'htlc.spend' }] });
});

test('nothing is asked for while the provider may pay, before the coin is in a block, or for what it took', () => {
  const asks = (label: string, from: typeof waiting) => {
    const { event, now } = tellingOf(label);
    const step = machine.step(terms, from, event, now);
    return step !== 'stay' && step.effects.some((effect) => effect.do === 'provider.cosign-htlc');
  };
  const funded = after('bitcoin: mined').progress;
  const claimed = after('bitcoin: claimed in a mempool', funded).progress;
  const unmined = after('bitcoin: in a mempool').progress;
  expect([
    asks('provider: serverfunded', funded),
    asks('provider: serverwontfund', unmined),
    asks('provider: serverwontfund', claimed),
    asks('the owner wants it back', claimed),
    asks('the owner wants it back', funded),
  ]).toEqual([false, false, false, false, true]);
});

test('what takes it by the key of both, and was never signed for, is told of once', () => {
  const funded = after('bitcoin: mined').progress;
  const foreign = after('both: foreign, buried', funded);
  expect(foreign.flag).toMatch(/never signed for that/);
  const { event, now } = tellingOf('both: foreign, buried');
  expect(machine.step(terms, foreign.progress, event, now)).toBe('stay');
});

test('what the provider says paid it is looked at by name, and nobody is asked to pay it once more', () => {
  const paidIn = '5a'.repeat(32);
  const { now } = tellingOf('provider: clientfunded');
  const named = machine.step(terms, waiting, { is: 'provider.seen', status: 'serverredeemed', paidIn }, now);
  if (named === 'stay') throw new Error('it is kept in mind');
  expect(machine.watches(terms, named.progress)).toContainEqual(expect.objectContaining({ on: 'htlc', paidIn }));
  const facts = (p: typeof waiting) => takenBitcoinLightning.facts(terms, p as never, now).pay;
  expect([facts(waiting)?.kind, facts(named.progress as typeof waiting)]).toEqual(['bitcoin', null]);
  const lie = machine.step(terms, named.progress, { is: 'htlc.seen', ...emptyLook }, now);
  expect(lie).toBe('stay');
});

test('fault 121, bitcoin: found again by its words, it is looked at by what paid it as well', () => {
  const restored = { ...terms, restored: start };
  const paidIn = '5a'.repeat(32);
  const { now } = tellingOf('provider: clientfunded');
  const step = machine.step(restored, waiting, { is: 'provider.seen', status: 'serverredeemed', paidIn }, now);
  expect(step).toMatchObject({ progress: { at: 'waiting', said: 'pending', paidIn }, effects: [] });
  expect(machine.step(restored, waiting, { is: 'provider.seen', status: 'serverredeemed' }, now)).toBe('stay');
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
