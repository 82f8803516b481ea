import { expect, test } from 'vitest';
import { decode, encode } from '../../engine/store/codec.ts';
import { explore } from '../swap/explore.ts';
import { representatives, tableOf } from '../swap/table.ts';
import { htlc, line, takeLightningBitcoinCase } from './lightning-bitcoin-cases.ts';

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
    'claim prepared': 'claiming, onchain.broadcast',
    'coin spent': 'claiming',
    'taken back, buried': 'lost, supersedes',
    'no coin, at its height': 'waiting, supersedes',
    'provider: clientfunded': 'claiming',
    'provider: serverfunded': 'claiming',
    'provider: serverwontfund': 'claiming',
    'provider: expired': 'claiming',
    'provider: serverwontfund, the invoice expired': 'claiming',
  },
  lapsed: {},
  claimed: {},
  lost: {},
};

test('these are all states, and one that nobody wants any more moves as one that somebody does', () => {
  const names = [...representatives(takeLightningBitcoinCase).keys()];
  const live = names.filter((name) => !name.endsWith(' cancelled'));
  expect(live.sort()).toEqual(Object.keys(moves).sort());
  expect(names.filter((name) => name.endsWith(' cancelled')).sort()).toEqual(live.map((name) => `${name} cancelled`));
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
    'the coin, at the last height',
  ]);
  expect(htlc.refundHeight - line).toBe(16);
});

test('the last look before the secret leaves is by the height, and the claim is hurried to it', () => {
  const tellingOf = (label: string) => events.find((one) => one.label === label)!;
  const begun = machine.step(terms, first, tellingOf('the coin').event, tellingOf('the coin').now);
  if (begun === 'stay') throw new Error('nothing is claimed');
  expect(begun.effects).toMatchObject([{ do: 'htlc.spend', purpose: 'claim', deadline: htlc.refundHeight }]);
  const sent = machine.step(terms, begun.progress, tellingOf('claim prepared').event, tellingOf('claim prepared').now);
  expect(sent).toMatchObject({
    effects: [
      {
        do: 'onchain.broadcast',
        onlyIf: { notAfter: line, paidOut: { refundLocktime: htlc.refundHeight, targetAmount: terms.targetAmount } },
      },
    ],
  });
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
