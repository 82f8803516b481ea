import { describe, expect, test } from 'vitest';
import { asPreimage, asSha256 } from '../../engine/domain/hash.ts';
import type { SwapStatus } from '../../engine/domain/status.ts';
import { unix } from '../../engine/domain/time.ts';
import { decode, encode } from '../../engine/store/codec.ts';
import type { Event } from '../../engine/swap/machine.ts';
import type { Beside } from '../../engine/taker/halves/fund.ts';
import { fundOnBitcoin } from '../../engine/taker/halves/bitcoin/fund/half.ts';
import { takenBitcoinLightning } from '../../engine/taker/directions/bitcoin-lightning.ts';
import { start, startHeight } from '../swap/cases.ts';
import { explore } from '../swap/explore.ts';
import { clocksAtHeight } from '../swap/lightning-bitcoin-cases.ts';
import { bitcoin } from './bitcoin-arkade-cases.ts';
import { byKey } from './joint-cases.ts';
import {
  claim,
  deal,
  refundHeight,
  signed,
  takeBitcoinLightningCase as one,
  waiting,
} from './bitcoin-lightning-cases.ts';

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

describe('the claim of the provider, signed with it', () => {
  const given = { is: 'cosign.given', ...claim, ...signed } as const;
  const ask = { is: 'cosign.asked', ...claim } as const;
  const { now } = tellingOf('provider: clientredeemed');
  const funded = () => after('bitcoin: mined').progress as typeof waiting;
  const isOpen = (p: typeof waiting, event: Event = ask, at = now) => machine.step(terms, p, event, at) !== 'stay';

  test('is asked after once, when the provider says that it claims, and no sooner', () => {
    const saying = after('provider: clientredeemed', funded());
    expect(saying.effects).toMatchObject([
      { do: 'provider.sign-claim', coin: claim.coin, amount: deal.source.amount, swapId: deal.swapId },
    ]);
    const p = saying.progress as typeof waiting;
    const begun = after('provider: serverfunded', p).progress as typeof waiting;
    const { event } = tellingOf('provider: clientredeemed');
    expect(machine.step(terms, begun, event, now)).toMatchObject({ effects: [] });
    expect(after('provider: serverfunded', funded()).effects).toEqual([]);
    const unmined = after('bitcoin: in a mempool').progress as typeof waiting;
    expect(machine.step(terms, unmined, event, now)).toMatchObject({ effects: [] });
  });

  test('gives the coin up for ever, and the payee is paid', () => {
    const step = machine.step(terms, funded(), given, now);
    if (step === 'stay') throw new Error('it is given up');
    expect(step).toMatchObject({
      progress: { at: 'claimed', cosign: claim.coin },
      effects: [],
      learned: claim.preimage,
    });
    const p = step.progress as typeof waiting;
    expect(takenBitcoinLightning.facts(terms, p as never, now)).toMatchObject({
      paid: { state: 'taken' },
      refund: { state: 'none', why: 'spent' },
    });
    expect(machine.rescue?.(terms, p)).toBeNull();
    const late = clocksAtHeight(refundHeight + 10);
    expect(machine.step(terms, p, { is: 'clock' }, late)).toBe('stay');
    const over = after('at the height: mined', p).progress as typeof waiting;
    expect([over.at, machine.open(terms, over), machine.step(terms, over, { is: 'clock' }, late)]).toEqual([
      'claimed',
      false,
      'stay',
    ]);
    const again = machine.step(terms, over, { is: 'refund.requested' }, late);
    expect(again === 'stay' || again.effects.length === 0).toBe(true);
    expect([isOpen(p), isOpen(p, given)]).toEqual([false, false]);
  });

  test('is signed for the secret of the invoice alone, and while nothing of ours takes the coin back', () => {
    const wrong = { ...ask, preimage: asPreimage(new Uint8Array(32).fill(9)) };
    const other = { ...ask, coin: { ...claim.coin, vout: claim.coin.vout + 1 } };
    const asking = after('provider: serverwontfund', funded()).progress as typeof waiting;
    const claimed = after('bitcoin: claimed in a mempool', funded()).progress as typeof waiting;
    const open = clocksAtHeight(refundHeight);
    const ours: Event = { ...ask, purpose: 'refund' };
    const another = { ...terms, hash: asSha256(new Uint8Array(32).fill(9)) };
    expect([ask, given].map((event) => machine.step(another, funded(), event, now))).toEqual(['stay', 'stay']);
    expect([
      isOpen(funded()),
      isOpen(funded(), { ...wrong, is: 'cosign.given', ...signed }),
      ...[wrong, other, { ...ask, preimage: null }, ours].map((event) => isOpen(funded(), event)),
      isOpen(funded(), ask, open),
      ...[waiting, asking, claimed].map((p) => isOpen(p)),
    ]).toEqual([true, ...Array<boolean>(9).fill(false)]);
  });

  test('that an older copy finds noted counts as given in each of its states', () => {
    const asking = after('provider: serverwontfund', funded()).progress as typeof waiting;
    for (const p of [waiting, funded(), asking]) {
      const step = machine.step(terms, p, given, now);
      expect(step).toMatchObject({ progress: { at: 'claimed', cosign: claim.coin }, supersedes: ['bitcoin'] });
      if (step === 'stay') continue;
      const named = machine.watches(terms, step.progress).flatMap((watch) => (watch.on === 'htlc' ? watch.coins : []));
      expect(named).toContainEqual({ outpoint: claim.coin, amount: deal.source.amount });
    }
  });

  test('is never signed where the secret is our own: it shows nothing of what was locked for it', () => {
    const beside = { secret: 'ours', fate: null } as Beside;
    const step = (event: Event, of: Beside) => fundOnBitcoin.step(terms, funded() as never, event, now, of);
    const { event } = tellingOf('provider: clientredeemed');
    expect([ask, given].map((one) => step(one, beside))).toEqual(['stay', 'stay']);
    expect(step(event, beside)).toMatchObject({ effects: [] });
    expect(step(ask, { ...beside, secret: 'payee' })).not.toBe('stay');
  });

  test('leaves what lies beside its coin to come back', () => {
    const extra = bitcoin({ outpoint: { txid: '00'.repeat(32), vout: 1 } });
    const look = {
      is: 'htlc.seen',
      coins: [bitcoin(), extra],
      height: startHeight + 12,
      mtp: unix(start),
      asked: start,
    } as const;
    const two = machine.step(terms, waiting, look as never, now);
    if (two === 'stay') throw new Error('both are there');
    const step = machine.step(terms, two.progress, given, now);
    if (step === 'stay') throw new Error('it is given up');
    // A copy from before, which takes the other one back already, goes on with that.
    const refunding = {
      ...(two.progress as typeof waiting),
      at: 'refunding',
      coin: extra.outpoint,
      spends: [],
    } as never;
    const goesOn = machine.step(terms, refunding, given, clocksAtHeight(refundHeight));
    expect(goesOn).toMatchObject({
      progress: { at: 'refunding', cosign: claim.coin },
      effects: [],
      learned: claim.preimage,
    });
    expect(goesOn).not.toHaveProperty('supersedes');
    const back = machine.step(terms, step.progress, { is: 'clock' }, clocksAtHeight(refundHeight));
    expect(back).toMatchObject({
      progress: { at: 'refunding' },
      effects: [{ do: 'htlc.spend', coin: extra.outpoint }],
    });
  });

  test('taken by the key of both it is the claim of the provider, by what was noted', () => {
    const step = machine.step(terms, funded(), given, now);
    if (step === 'stay') throw new Error('it is given up');
    const coins = [bitcoin({ spend: byKey('claim', startHeight) })];
    const look = { is: 'htlc.seen', coins, height: startHeight + 12, mtp: unix(start), asked: unix(start) } as const;
    const next = machine.step(terms, step.progress, look, now);
    expect(next).toMatchObject({ progress: { coins: [{ spend: { by: 'claim', txid: signed.txid } }] } });
    expect(next !== 'stay' && next.flag).toBeFalsy();
  });
});

test('what takes it by the key of both, and was never signed for, is told of once', () => {
  const funded = after('bitcoin: mined').progress;
  const foreign = after('both: foreign, buried', funded);
  expect(foreign.flag).toMatch(/never signed for that/);
  const { event, now } = tellingOf('both: foreign, buried');
  expect(machine.step(terms, foreign.progress, event, now)).toBe('stay');
});

test('found again by words, a spend by the key of both is no alarm: the provider says what it was', () => {
  const restored = { ...terms, restored: start };
  const { event, now } = tellingOf('both: foreign, buried');
  const look = (p: typeof waiting, at = now) => {
    const step = machine.step(restored, p, event, at);
    if (step === 'stay') throw new Error('it is seen');
    expect(step).not.toHaveProperty('flag');
    return step.progress as typeof waiting;
  };
  const funded = look(waiting);
  expect(funded).toMatchObject({ at: 'funded', coins: [{ spend: null }] });
  const saying = (status: SwapStatus) => {
    const step = machine.step(restored, funded, { is: 'provider.seen', status }, now);
    return step === 'stay' ? funded : (step.progress as typeof waiting);
  };
  expect(look(saying('serverredeemed'))).toMatchObject({ at: 'claimed', coins: [{ spend: { by: 'claim' } }] });
  expect(look(saying('clientrefunded'))).toMatchObject({ at: 'done', coins: [{ spend: { by: 'refund' } }] });
  expect(look(waiting, clocksAtHeight(refundHeight))).toMatchObject({ at: 'claimed' });
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

test('fault 301, bitcoin: a provider that names another payment at each look is not followed', () => {
  const { now } = tellingOf('provider: clientfunded');
  for (const t of [terms, { ...terms, restored: start }]) {
    const first = { is: 'provider.seen', status: 'pending', paidIn: '5a'.repeat(32) } as const;
    const named = machine.step(t, waiting, first, now);
    if (named === 'stay') throw new Error('the first is looked at');
    expect(machine.step(t, named.progress, { ...first, paidIn: '5b'.repeat(32) }, now)).toBe('stay');
    // Whatever the provider names, the chain itself is asked for what paid it.
    expect(machine.watches(t, named.progress)).toContainEqual(
      expect.objectContaining({ on: 'htlc', paidIn: first.paidIn, past: true }),
    );
  }
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
