import { describe, expect, test } from 'vitest';
import { decode, encode } from '../../engine/store/codec.ts';
import { takenEvmArkade } from '../../engine/taker/directions/evm-arkade.ts';
import { evmClocksAt } from '../swap/evm-lightning-cases.ts';
import { coin, coinPoint, spentBy, start, txid } from '../swap/cases.ts';
import { explore } from '../swap/explore.ts';
import { representatives, tableOf } from '../swap/table.ts';
import { deal, takeEvmArkadeCase, terms } from './evm-arkade-cases.ts';
import { tx } from './evm-lightning-cases.ts';
import type { TakeEvmArkadeProgress } from './taken.ts';

const { machine } = takeEvmArkadeCase;
const reached = representatives(takeEvmArkadeCase);

/**
 * Every stage, and every event of the catalogue that moves it. An event that is not listed leaves the state alone. Why
 * a VHTLC is not claimed has a state of its own, which moves like the first.
 */
const moves: Record<string, Record<string, string>> = {
  waiting: {
    'the tokens': 'funding, provider.fund-evm',
    'the lock': 'funded null, supersedes',
    'the lock is taken': 'funded null, supersedes',
    'given back': 'done, supersedes',
    serverfunded: 'waiting',
    serverwontfund: 'waiting',
    'an hour': 'lapsed',
    'the timelock': 'lapsed',
    'the VHTLC is over': 'lapsed',
    'an hour before the timelock': 'lapsed',
  },
  funding: {
    'the lock': 'funded null, supersedes',
    'the lock is taken': 'funded null, supersedes',
    'given back': 'done, supersedes',
    'the provider declines': 'funding, evm.send',
    'funding signed': 'funding',
    'funding refused': 'waiting, supersedes',
    serverfunded: 'funding',
    serverwontfund: 'funding',
    'an hour': 'waiting, supersedes',
    'the timelock': 'waiting, supersedes',
    'the VHTLC is over': 'waiting, supersedes',
    'an hour before the timelock': 'waiting, supersedes',
  },
  'funded null': {
    'no lock': 'waiting, supersedes',
    'the lock is taken': 'funded null, supersedes',
    'given back': 'done, supersedes',
    serverfunded: 'funded null',
    serverwontfund: 'asking, provider.refund-evm',
    'the owner wants it back': 'asking, provider.refund-evm',
    'the timelock': 'refunding, evm.send, supersedes',
    'lock: whole': 'claiming, vhtlc.claim, supersedes',
    'lock: whole, clock unread': 'funded The Bitcoin clock has not been read yet.',
    'lock: short by one': 'funded The coin holds 99999 sats; 100000 were agreed.',
    'lock: expired': 'funded The coin is past its expiry: its timelocks protect nobody.',
    'lock: on the chain': 'funded The coin has left the operator for the chain.',
    'lock: no time left': 'funded The refund may open in 0 seconds; a claim needs 3600.',
    'lock: claimed by us': 'claimed',
    'lock: claimed by an earlier life of ours': 'claimed',
    'lock: taken back': 'funded The coin is already spent.',
    'lock: gone without a reason': 'funded The coin is already spent.',
  },
  asking: {
    'no lock': 'waiting, supersedes',
    'the lock is taken': 'funded null, supersedes',
    'given back': 'done, supersedes',
    'the provider relays': 'funded null',
    'the provider declines': 'funded null',
    'the timelock': 'refunding, evm.send, supersedes',
  },
  refunding: {
    'the lock is taken': 'funded null, supersedes',
    'given back': 'done, supersedes',
    'refund signed': 'refunding',
  },
  claiming: {
    'the lock is taken': 'claiming',
    serverfunded: 'claiming',
    serverwontfund: 'claiming',
    'lock: claimed by us': 'claimed, supersedes',
    'lock: claimed by an earlier life of ours': 'claimed, supersedes',
    'lock: taken back': 'funded null, supersedes, FLAG',
    'lock: gone without a reason': 'claiming, FLAG, DISTRUST',
    'claim prepared': 'claiming, vhtlc.submit claim',
    'claim accepted': 'claiming, vhtlc.finalize claim',
    'claim final': 'claimed',
    'claim refused: spent': 'claiming',
    'claim refused: recoverable': 'claiming, vhtlc.settle claim',
    'claim refused: unrolled': 'claiming exit, vhtlc.exit claim',
    'claim refused: late': 'funded the operator says no',
    'claim refused: refused': 'claiming, vhtlc.claim, FLAG',
  },
  'claiming exit': {
    'the lock is taken': 'claiming exit',
    serverfunded: 'claiming exit',
    serverwontfund: 'claiming exit',
    'lock: claimed by us': 'claimed, supersedes',
    'lock: claimed by an earlier life of ours': 'claimed, supersedes',
    // By the word of the operator alone: one on the chain is spent there.
    'lock: taken back': 'claiming exit, FLAG, DISTRUST',
    'lock: gone without a reason': 'claiming exit, FLAG, DISTRUST',
    'claim prepared': 'claiming exit, vhtlc.submit claim',
    'claim accepted': 'claiming exit, vhtlc.finalize claim',
    'claim final': 'claimed',
    'claim refused: spent': 'claiming exit',
    'claim refused: recoverable': 'claiming exit, vhtlc.settle claim',
    'claim refused: unrolled': 'claiming exit, vhtlc.exit claim',
    'claim refused: late': 'claiming, vhtlc.claim, FLAG',
    'claim refused: refused': 'claiming, vhtlc.claim, FLAG',
    'claim on the chain prepared': 'claiming exit, onchain.broadcast',
    'claim on the chain stuck': 'claiming exit, vhtlc.exit claim',
    'claim on the chain final': 'claimed',
    'claim on the chain refused: spent': 'claiming exit',
    'claim on the chain refused: refused': 'claiming exit, vhtlc.exit claim, FLAG',
  },
  claimed: {},
  done: {},
  lapsed: {},
  lost: {},
};

test('these stages are reached and no others, beside the reasons for which nothing is claimed', () => {
  const names = [...reached.keys()].filter((name) => !name.startsWith('funded ') || name === 'funded null');
  expect(names.sort()).toEqual(Object.keys(moves).sort());
});

test.each(Object.entries(moves))('%s', (name, expected) => {
  const progress = reached.get(name);
  if (progress === undefined) throw new Error(`${name} is never reached`);
  expect(tableOf(takeEvmArkadeCase, progress)).toEqual(expected);
});

/** A state of this stage; what is known of the VHTLC beside what became of our lock. */
function stateAt(name: string, { takenBy, relayed, ...target }: Record<string, unknown> = {}): TakeEvmArkadeProgress {
  const progress = reached.get(name);
  if (progress === undefined || !('target' in progress)) throw new Error(`${name} is never reached`);
  return {
    ...progress,
    ...(takenBy === undefined ? {} : { takenBy }),
    ...(relayed === undefined ? {} : { relayed }),
    target: { ...progress.target, ...target },
  } as TakeEvmArkadeProgress;
}

const table = (name: string, change: Record<string, unknown> = {}) => tableOf(takeEvmArkadeCase, stateAt(name, change));

describe('taking from an EVM chain to Arkade', () => {
  test('the secret is shown for the very VHTLC that was agreed, whole and in time, and for nothing else', () => {
    const claims = Object.entries(table('funded null', { takenBy: null })).filter(([, step]) => step.includes('vhtlc'));
    expect(claims).toEqual([['lock: whole', 'claiming, vhtlc.claim, supersedes']]);
  });

  test('what first shows the secret is judged once more when it is sent', () => {
    const prepared = { is: 'vhtlc.prepared', purpose: 'claim', txid: txid.claim, output: coinPoint } as const;
    const step = machine.step(terms, stateAt('claiming', { claimTxid: null }), prepared, evmClocksAt(start + 600));
    const { refundLocktime } = deal.target.vhtlc;
    expect(step === 'stay' ? step : step.effects).toMatchObject([
      { do: 'vhtlc.submit', onlyIf: { reveal: { targetAmount: 100_000n, refundLocktime } } },
    ]);
  });

  test.each([{ relayed: true }, { takenBack: true }])(
    'nothing is claimed any more once a refund of ours is on its way, or the VHTLC was taken back: %j',
    (change) => {
      const steps = Object.values(table('funded null', { takenBy: null, ...change }));
      expect(steps.filter((step) => step.includes('vhtlc'))).toEqual([]);
    },
  );

  test('who has our secret is not asked for anything back: the VHTLC is claimed whatever time is left', () => {
    const steps = table('funded null', { takenBy: tx.claim });
    expect(steps).toMatchObject({
      'lock: whole': 'claiming, vhtlc.claim, supersedes',
      'lock: short by one': 'claiming, vhtlc.claim, supersedes',
      'lock: no time left': 'claiming, vhtlc.claim, supersedes',
      'lock: on the chain': 'claiming, vhtlc.claim, supersedes',
    });
    expect([steps['the timelock'], steps['the owner wants it back']]).toEqual([undefined, undefined]);
  });

  test('with both legs the provider owes us the swap', () => {
    expect([
      table('claiming', { takenBy: tx.claim })['lock: taken back'],
      table('funded null', { takenBy: null, takenBack: true })['the lock is taken'],
    ]).toEqual(['lost, supersedes, FLAG', 'lost, supersedes, FLAG']);
  });

  test('a refund is offered only to whom the provider would sign one, and alone from the timelock on', () => {
    const offers = [{}, { takenBack: true }].map((change) => {
      const progress = stateAt('funded null', { takenBy: null, ...change });
      const { state, why, from } = takenEvmArkade.facts(terms, progress, evmClocksAt(start)).refund;
      return [state, why, from];
    });
    expect(offers[0]).toEqual(['possible', 'in-progress', Number(deal.source.lock.timelock)]);
    expect(offers[1]?.[0]).toBe('possible');
  });

  test('a claim of an earlier life of ours is what was bought', () => {
    const look = { is: 'vhtlc.seen', coins: [coin({ ...spentBy.clientClaim, script: deal.target.script })] } as const;
    const step = machine.step(terms, stateAt('funded null', { takenBy: null }), look, evmClocksAt(start + 600));
    expect(step === 'stay' ? step : step.progress).toMatchObject({ at: 'claimed' });
  });
});

test('every state that is not over is watched, says who is waited for, and is read again as it was saved', () => {
  const { states } = explore(takeEvmArkadeCase);
  const wrong = states.filter(
    (progress) =>
      !/^[a-z]+: [a-z-]+$/.test(machine.nextAction(terms, progress)) ||
      (machine.open(terms, progress) && machine.watches(terms, progress).length === 0),
  );
  expect(wrong).toEqual([]);
  const { shape } = machine;
  expect(shape.terms.read(decode(encode(terms)), shape.terms.version)).toEqual(terms);
  expect(states.map((p) => shape.progress.read(decode(encode(p)), shape.progress.version))).toEqual(states);
});

test('a bundle holds both legs, and says whether the secret may be out', () => {
  const bundled = (progress: TakeEvmArkadeProgress) => machine.rescue?.(terms, progress) ?? null;
  const lock = { on: 'evm', taker: { key: terms.evmKey, destination: terms.account } };
  expect([
    bundled(stateAt('funded null', { takenBy: null })),
    bundled(stateAt('funded null', { takenBy: null, relayed: true })),
    bundled(stateAt('claiming', { claimTxid: txid.claim })),
  ]).toMatchObject([
    { claim: { on: 'arkade' }, refund: lock, shown: false },
    { claim: null, refund: lock, shown: false },
    { claim: { on: 'arkade' }, refund: lock, shown: true },
  ]);
});
