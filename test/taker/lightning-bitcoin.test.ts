import { expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import { decode, encode } from '../../engine/store/codec.ts';
import { explore } from '../swap/explore.ts';
import { representatives, tableOf } from '../swap/table.ts';
import { clocksAtHeight } from '../swap/lightning-bitcoin-cases.ts';
import { deal, htlc, line, takeLightningBitcoinCase } from './lightning-bitcoin-cases.ts';
import type { TakeLightningBitcoinProgress } from './taken.ts';

const { machine, terms, first, events } = takeLightningBitcoinCase;

/**
 * Every state of a swap that its owner wants, and every event of the catalogue that moves it. An event that is not
 * listed leaves the state alone.
 */
const moves: Record<string, Record<string, string>> = {
  waiting: {
    'the coin, in no block': 'waiting',
    'the coin, in one block': 'waiting',
    'the coin': 'claiming, htlc.spend claim, supersedes',
    'a coin of less': 'waiting',
    'another coin': 'claiming, htlc.spend claim, supersedes',
    'our claim, in no block': 'claiming, htlc.spend claim, supersedes',
    'our claim, buried': 'claiming, htlc.spend claim, supersedes',
    'a claim of ours that nobody knows, buried': 'claiming, htlc.spend claim, supersedes',
    'both: seen, in no block': 'claiming, htlc.spend claim, supersedes',
    'both: seen, buried': 'claiming, htlc.spend claim, supersedes',
    'both: foreign, in no block': 'waiting byKey, FLAG',
    'both: foreign, buried': 'waiting byKey, FLAG',
    'the coin, at the last height': 'claiming, htlc.spend claim, supersedes',
    'the coin, one block too late': 'waiting',
    'provider: clientfunded': 'waiting',
    'provider: serverfunded': 'waiting',
    'provider: serverwontfund': 'waiting',
    'provider: expired': 'waiting',
    'provider: serverwontfund, the invoice expired': 'lapsed',
    'the owner does not want it': 'waiting cancelled',
    'the tip at the height': 'lapsed',
  },
  claiming: {
    'no coin': 'waiting, supersedes',
    'another coin': 'claiming, htlc.spend claim, supersedes',
    'our claim, in no block': 'claiming',
    'our claim, buried': 'claimed, supersedes',
    'a claim of ours that nobody knows, buried': 'claimed, supersedes',
    'claim prepared': 'claiming asking, provider.cosign-htlc claim',
    'coin spent': 'waiting, supersedes',
    'both: seen, in no block': 'claiming',
    'both: seen, buried': 'claimed, supersedes',
    'both: foreign, in no block': 'claiming byKey, FLAG',
    'both: foreign, buried': 'lost, supersedes, FLAG',
    'taken back, buried': 'lost, supersedes',
    'no coin, at its height': 'waiting, supersedes',
    'provider: clientfunded': 'claiming',
    'provider: serverfunded': 'claiming',
    'provider: serverwontfund': 'claiming',
    'provider: expired': 'claiming',
    'provider: serverwontfund, the invoice expired': 'claiming',
  },
  'claiming asking': {
    'our claim, in no block': 'claiming asking',
    'our claim, buried': 'claiming asking',
    'a claim of ours that nobody knows, buried': 'claimed, supersedes',
    'claim prepared': 'claiming, onchain.broadcast',
    'claim waits': 'claiming, htlc.spend claim',
    'claim buried': 'claimed, supersedes',
    'coin spent': 'claiming',
    'claim refused': 'claiming, htlc.spend claim, FLAG',
    'both: signed': 'claiming, onchain.broadcast',
    'both: declined': 'claiming, htlc.spend claim',
    'both: not asked': 'claiming, htlc.spend claim',
    'both: no answer for a minute': 'claiming, htlc.spend claim, supersedes',
    'both: seen, in no block': 'claiming asking',
    'both: seen, buried': 'claimed, supersedes',
    'both: foreign, in no block': 'claiming byKey asking, FLAG',
    'both: foreign, buried': 'lost, supersedes, FLAG',
    'taken back, buried': 'lost, supersedes',
    'provider: clientfunded': 'claiming asking',
    'provider: serverfunded': 'claiming asking',
    'provider: serverwontfund': 'claiming asking',
    'provider: expired': 'claiming asking',
    'provider: serverwontfund, the invoice expired': 'claiming asking',
    'the tip one below the height': 'claiming, htlc.spend claim, supersedes',
    'the tip at the height': 'claiming, htlc.spend claim, supersedes',
  },
  lapsed: {},
  claimed: {},
  lost: {},
};

test('these are all states, and one that nobody wants any more moves as one that somebody does', () => {
  const names = [...representatives(takeLightningBitcoinCase).keys()];
  // What somebody with our key takes is told of once, and moves as if it were not.
  const live = names.filter((name) => !/ cancelled| byKey/.test(name));
  expect(live.sort()).toEqual(Object.keys(moves).sort());
  const unwanted = names.filter((name) => name.includes(' cancelled') && !name.includes(' byKey'));
  expect(unwanted.map((name) => name.replace(' cancelled', '')).sort()).toEqual(live);
});

test.each(Object.entries(moves))('%s', (name, expected) => {
  const progress = representatives(takeLightningBitcoinCase).get(name);
  if (progress === undefined) throw new Error(`${name} is never reached`);
  expect(tableOf(takeLightningBitcoinCase, progress)).toEqual(expected);
});

test('the secret is shown for a whole deep coin, 16 blocks before its refund, and for nothing else', () => {
  const { waiting = {} } = moves;
  const claims = Object.keys(waiting).filter((label) => waiting[label]?.includes('htlc.spend claim'));
  expect(claims).toEqual([
    'the coin',
    'another coin',
    'our claim, in no block',
    'our claim, buried',
    'a claim of ours that nobody knows, buried',
    'both: seen, in no block',
    'both: seen, buried',
    'the coin, at the last height',
  ]);
  expect(htlc.refundHeight - line).toBe(16);
});

function tellingOf(label: string) {
  const telling = events.find((one) => one.label === label);
  if (telling === undefined) throw new Error(`nothing is called ${label}`);
  return telling;
}

function after(label: string, from: TakeLightningBitcoinProgress) {
  const { event, now } = tellingOf(label);
  const step = machine.step(terms, from, event, now);
  return step === 'stay' ? expect.fail(`${label} changes nothing`) : step;
}

test('the last look before the secret leaves is by the height, and the claim is hurried to it', () => {
  const begun = after('the coin', first);
  expect(begun.effects).toMatchObject([{ do: 'htlc.spend', purpose: 'claim', deadline: htlc.refundHeight }]);
  const onlyIf = {
    notAfter: line,
    paidOut: { refundLocktime: htlc.refundHeight, targetAmount: terms.targetAmount },
  };
  // The provider is shown it by being asked, and so no later than anybody else.
  const asking = after('claim prepared', begun.progress);
  expect(asking.effects).toMatchObject([{ do: 'provider.cosign-htlc', swapId: deal.swapId, onlyIf }]);
  const again = after('both: not asked', asking.progress);
  expect(after('claim prepared', again.progress).effects).toMatchObject([{ do: 'onchain.broadcast', onlyIf }]);
  const shown = after('both: declined', asking.progress);
  expect(after('claim prepared', shown.progress).effects[0]).not.toHaveProperty('onlyIf');
});

test('fault 148, bitcoin: a minute that was slept through shows no secret that nobody asked for', () => {
  const asking = after('claim prepared', after('the coin', first).progress);
  const alone = after('both: no answer for a minute', asking.progress);
  // Where the provider was asked, a note of that says so when the claim is to be sent.
  expect(after('claim prepared', alone.progress).effects).toMatchObject([
    { do: 'onchain.broadcast', onlyIf: { notAfter: line } },
  ]);
});

test('nobody is waited for longer than a minute, nor asked where the claim is late or the secret out', () => {
  const begun = after('the coin', first);
  const asking = after('claim prepared', begun.progress);
  const { now } = tellingOf('claim prepared');
  expect(machine.deadline(terms, asking.progress)).toBe(now.wall + 60);
  const back = { ...now, wall: unix(now.wall - 86_400) };
  expect(machine.step(terms, asking.progress, { is: 'clock' }, now)).toBe('stay');
  expect(machine.step(terms, asking.progress, { is: 'clock' }, back)).toMatchObject({
    effects: [{ do: 'htlc.spend' }],
  });
  const late = machine.step(terms, begun.progress, tellingOf('claim prepared').event, clocksAtHeight(line));
  expect(late).toMatchObject({ effects: [{ do: 'onchain.broadcast' }] });
  const shown = after('our claim, in no block', begun.progress);
  expect(after('claim prepared', shown.progress).effects).toMatchObject([{ do: 'onchain.broadcast' }]);
});

test('an answer that comes late is not sent beside the claim by the script', () => {
  const asking = after('claim prepared', after('the coin', first).progress);
  const alone = after('both: no answer for a minute', asking.progress);
  expect(machine.step(terms, alone.progress, tellingOf('both: signed').event, tellingOf('both: signed').now)).toBe(
    'stay',
  );
});

test('it waits for the height where nothing was locked, by no clock of time', () => {
  expect(machine.deadline(terms, first)).toBe(htlc.refundHeight);
});

test('terms and every state can be kept and read back', () => {
  const { shape } = machine;
  expect(shape.terms.read(decode(encode(terms)), shape.terms.version)).toEqual(terms);
  const { states } = explore(takeLightningBitcoinCase);
  expect(states.map((p) => shape.progress.read(decode(encode(p)), shape.progress.version))).toEqual(states);
});
