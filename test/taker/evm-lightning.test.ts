import { describe, expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import { published } from '../../engine/legs/evm/deployments.ts';
import type { Event } from '../../engine/swap/machine.ts';
import { start } from '../swap/cases.ts';
import { evmClocksAt } from '../swap/evm-lightning-cases.ts';
import { explore } from '../swap/explore.ts';
import { representatives, tableOf } from '../swap/table.ts';
import { contracts, events, invoiceExpiresAt, lock, takeEvmLightningCase, terms } from './evm-lightning-cases.ts';

const { machine } = takeEvmLightningCase;

function table(name: string, change: object = {}): Record<string, string> {
  const progress = representatives(takeEvmLightningCase).get(name);
  if (progress === undefined) throw new Error(`${name} is never reached`);
  return tableOf(takeEvmLightningCase, { ...progress, ...change });
}

describe('taking from an EVM chain to Lightning', () => {
  test('tokens are signed away once they are all there, and while the invoice can be paid', () => {
    expect(table('waiting')).toEqual({
      'the tokens': 'funding, provider.fund-evm',
      'the lock': 'funded, supersedes',
      'the lock with a coin more': 'funded, supersedes',
      claimed: 'claimed, supersedes, learns',
      'given back': 'done, supersedes',
      clientfunded: 'waiting',
      serverwontfund: 'waiting',
      'the invoice is over': 'lapsed',
      'the timelock': 'lapsed',
    });
  });

  test('after a signature it is over only when nobody can use it any more, by the chain', () => {
    const { 'no lock': early, 'no lock, long after': late, ...rest } = table('waiting', { signedUntil: start + 1_800 });
    expect([early, late, Object.values(rest).includes('lapsed')]).toEqual([undefined, 'lapsed', false]);
  });

  test('a funding goes on by the node where the provider declines, and ends with its signature', () => {
    expect(table('funding')).toEqual({
      'the lock': 'funded, supersedes',
      'the lock with a coin more': 'funded, supersedes',
      claimed: 'claimed, supersedes, learns',
      'given back': 'done, supersedes',
      'the provider declines': 'funding, evm.send',
      'the approval is not paid for': 'waiting, supersedes',
      'funding signed': 'funding',
      'funding refused': 'waiting, supersedes',
      clientfunded: 'funding',
      serverwontfund: 'funding',
      'half an hour': 'waiting, supersedes',
      'the invoice is over': 'waiting, supersedes',
      'the timelock': 'waiting, supersedes',
    });
  });

  test('a lock is asked back when the provider is out, and taken back from the timelock on', () => {
    expect(table('funded')).toEqual({
      'no lock': 'waiting, supersedes',
      'no lock, long after': 'waiting, supersedes',
      "a stranger's lock": 'waiting, supersedes',
      "a stranger's, given back": 'waiting, supersedes',
      'a lock of less': 'waiting, supersedes',
      'a lock of another timelock': 'waiting, supersedes',
      'a lock for another': 'waiting, supersedes',
      claimed: 'claimed, supersedes, learns',
      'given back': 'done, supersedes',
      'the lock with a coin more': 'funded, supersedes',
      clientfunded: 'funded',
      serverwontfund: 'asking, provider.refund-evm',
      'the owner wants it back': 'asking, provider.refund-evm',
      'the timelock': 'refunding, evm.send, supersedes',
    });
    expect(table('asking')).toMatchObject({
      'the provider relays': 'funded',
      'the provider declines': 'funded',
      'the timelock': 'refunding, evm.send, supersedes',
    });
    expect(table('refunding', { sent: '4d'.repeat(32) })).toEqual({
      'the lock with a coin more': 'funded, supersedes',
      claimed: 'claimed, supersedes, learns',
      // By the transaction and the terms it is the one that we take back, whoever it is said to be of.
      "a stranger's, given back": 'done, supersedes',
      'given back': 'done, supersedes',
      'refund signed': 'refunding',
      'refund reverts': 'refunding, evm.send, supersedes',
    });
  });
});

test('fault 344, evm: an order whose lock its provider could take without the secret is funded no more', () => {
  const waiting = representatives(takeEvmLightningCase).get('waiting');
  const pair = published.find(({ openToClaimer }) => openToClaimer);
  if (waiting?.at !== 'waiting' || pair === undefined) throw new Error('nothing waits');
  const { deal } = waiting;
  const source = { ...deal.source, contracts: { ...contracts, htlc: pair.htlc } };
  const balance = events.find(({ label }) => label === 'the tokens');
  if (balance === undefined) throw new Error('no balance');
  const stepOf = (signedUntil: number | null) => {
    const progress = {
      ...waiting,
      deal: { ...deal, source },
      signedUntil: signedUntil === null ? null : unix(signedUntil),
    };
    return machine.step(terms, progress, balance.event, balance.now);
  };
  // By a signature of before it may be locked still; there is no other one.
  expect([stepOf(null), stepOf(start + 300)]).toMatchObject([{ progress: { at: 'lapsed' }, effects: [] }, 'stay']);
});

test('a refund says what the lock really holds', () => {
  const locked = representatives(takeEvmLightningCase).get('funded');
  if (locked?.at !== 'funded' || locked.made === null) throw new Error('nothing is locked');
  const more = { ...locked, made: { ...locked.made, amount: 100_267n } };
  const effectsOf = (event: Event, at: number) => {
    const step = machine.step(terms, more, event, evmClocksAt(at));
    return step === 'stay' ? null : step.effects;
  };
  expect([
    effectsOf({ is: 'refund.requested' }, start + 600),
    effectsOf({ is: 'clock' }, start + 25 * 3_600),
  ]).toMatchObject([
    [{ do: 'provider.refund-evm', lock: { amount: 100_267n } }],
    [{ do: 'evm.send', act: { is: 'taker-refund', lock: { amount: 100_267n } } }],
  ]);
});

test('a lock that stood and is shown no more is looked for until it could be taken back alone', () => {
  const locked = representatives(takeEvmLightningCase).get('funded');
  if (locked === undefined) throw new Error('nothing is locked');
  const blank = (at: number): Event => {
    return {
      is: 'evm.seen',
      network: terms.chain,
      height: 60_000_900,
      time: unix(at - 2),
      asked: unix(at),
      locks: [],
    };
  };
  const look = (progress: typeof locked, at: number) => {
    const step = machine.step(terms, progress, blank(at), evmClocksAt(at));
    return step === 'stay' ? progress : step.progress;
  };
  const timelock = Number(lock.timelock);
  const vanished = look({ ...locked, signedUntil: start + 1_800 } as typeof locked, invoiceExpiresAt + 3_600);
  const times = [invoiceExpiresAt + 7_200, timelock, timelock + 660];
  expect([vanished.at, ...times.map((at) => look(vanished, at).at)]).toEqual([
    'waiting',
    'waiting',
    'waiting',
    'lapsed',
  ]);
});

test('every state that is not over is watched, says who is waited for, and is read again as it was saved', () => {
  const { states } = explore(takeEvmLightningCase);
  const wrong = states.filter(
    (progress) =>
      !/^[a-z]+: [a-z-]+$/.test(machine.nextAction(terms, progress)) ||
      (machine.open(terms, progress) && machine.watches(terms, progress).length === 0),
  );
  expect(wrong).toEqual([]);
  expect(states.map((progress) => machine.shape.progress.read(progress, 1))).toEqual(states);
  expect(machine.shape.terms.read(terms, 1)).toEqual(terms);
});

test('a provider that refuses, lies or stays silent is told of, and nothing was signed', () => {
  const judge = (event: Event, moment = 1) =>
    machine.step(terms, { at: 'creating' }, event, evmClocksAt(start + moment));
  expect([
    judge({ is: 'provider.refused', reason: 'Paused.' }),
    judge({ is: 'provider.created', record: { id: 'x' } }),
    judge({ is: 'clock' }, 60),
  ]).toMatchObject([
    { progress: { at: 'refused', reason: 'provider-refused' } },
    { progress: { at: 'refused', reason: 'record-wrong' } },
    { progress: { at: 'refused', reason: 'provider-silent' }, supersedes: ['order'] },
  ]);
});
