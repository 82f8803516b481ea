import { expect, test } from 'vitest';
import { decode, encode } from '../../engine/store/codec.ts';
import { explore } from '../swap/explore.ts';
import { representatives, tableOf } from '../swap/table.ts';
import { takeLightningEvmCase } from './lightning-evm-cases.ts';

const { machine, terms } = takeLightningEvmCase;

/**
 * Every state of a swap that its owner wants, and every event of the catalogue that moves it. An event that is not
 * listed leaves the state alone.
 */
const moves: Record<string, Record<string, string>> = {
  waiting: {
    'the lock': 'claiming, provider.claim-evm, supersedes',
    'the lock, shallow': 'waiting',
    'the lock, nearly over': 'waiting',
    'claimed, shallow': 'claiming, supersedes',
    claimed: 'claimed, supersedes',
    'the locktime': 'lapsed',
    'provider: clientfunded': 'waiting',
    'provider: serverfunded': 'waiting',
    'provider: serverwontfund': 'waiting',
    'provider: expired': 'waiting',
    'provider: serverwontfund, the invoice expired': 'lapsed',
    'the owner does not want it': 'waiting cancelled',
    'the timelock': 'lapsed',
  },
  claiming: {
    'the lock, nearly over': 'claiming, evm.send, provider.claim-evm, supersedes',
    'claimed, shallow': 'claiming',
    claimed: 'claimed, supersedes',
    'taken back': 'lost, supersedes, FLAG',
    withheld: 'waiting',
    'nobody heard it': 'claiming, evm.send',
    'the provider declines': 'claiming, evm.send',
    signed: 'claiming',
    'a quarter of an hour': 'claiming, evm.send, provider.claim-evm, supersedes',
    'the locktime': 'claiming, evm.send, provider.claim-evm, supersedes',
    'provider: clientfunded': 'claiming',
    'provider: serverfunded': 'claiming',
    'provider: serverwontfund': 'claiming',
    'provider: expired': 'claiming',
    'provider: serverwontfund, the invoice expired': 'claiming',
    'the timelock': 'claiming, evm.send, provider.claim-evm, supersedes',
  },
  claimed: {},
  lapsed: {},
  lost: {},
};

test('these are all states, and one that nobody wants any more moves as one that somebody does', () => {
  const names = [...representatives(takeLightningEvmCase).keys()];
  const live = names.filter((name) => !name.endsWith(' cancelled'));
  expect(live.sort()).toEqual(Object.keys(moves).sort());
  expect(names.filter((name) => name.endsWith(' cancelled')).sort()).toEqual(live.map((name) => `${name} cancelled`));
});

test.each(Object.entries(moves))('%s', (name, expected) => {
  const progress = representatives(takeLightningEvmCase).get(name);
  if (progress === undefined) throw new Error(`${name} is never reached`);
  expect(tableOf(takeLightningEvmCase, progress)).toEqual(expected);
});

test('the secret is shown for the very lock that was agreed, buried and in time, and for nothing else', () => {
  const { waiting = {} } = moves;
  const claims = Object.keys(waiting).filter((label) => waiting[label]?.includes('claim-evm'));
  expect(claims).toEqual(['the lock']);
});

test('terms and every state can be kept and read back', () => {
  const { shape } = machine;
  expect(shape.terms.read(decode(encode(terms)), shape.terms.version)).toEqual(terms);
  const { states } = explore(takeLightningEvmCase);
  expect(states.map((p) => shape.progress.read(decode(encode(p)), shape.progress.version))).toEqual(states);
});
