import { describe, expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import type { Event } from '../../engine/swap/machine.ts';
import { coinPoint, otherPoint, start, startHeight } from '../swap/cases.ts';
import { evmClocksAt } from '../swap/evm-lightning-cases.ts';
import { explore } from '../swap/explore.ts';
import { representatives, tableOf } from '../swap/table.ts';
import { claimTxid, coinOf, htlc, takeEvmBitcoinCase, terms } from './evm-bitcoin-cases.ts';
import { tx } from './evm-lightning-cases.ts';
import type { TakeEvmBitcoinProgress } from './taken.ts';
import { takenEvmBitcoin } from '../../engine/taker/directions/evm-bitcoin.ts';

const { machine } = takeEvmBitcoinCase;
const reached = representatives(takeEvmBitcoinCase);

/** A state of this stage; what is known of the provider's coin beside what became of our lock. */
function stateAt(name: string, { takenBy, relayed, ...target }: Record<string, unknown> = {}): TakeEvmBitcoinProgress {
  const progress = reached.get(name);
  if (progress === undefined || !('target' in progress)) throw new Error(`${name} is never reached`);
  return {
    ...progress,
    ...('takenBy' in progress && progress.at === 'funded' ? { takenBy: null } : {}),
    ...(takenBy === undefined ? {} : { takenBy }),
    ...(relayed === undefined ? {} : { relayed }),
    target: { ...progress.target, ...target },
  } as TakeEvmBitcoinProgress;
}

function table(name: string, change: Record<string, unknown> = {}): Record<string, string> {
  return tableOf(takeEvmBitcoinCase, stateAt(name, change));
}

const none = { coin: null, unsafe: null, claimTxid: null, takenBack: false };
const ours = { spends: [claimTxid], shown: false };

describe('taking from an EVM chain to Bitcoin', () => {
  test('a coin is claimed once it is whole, deep, and time is left; and no other', () => {
    expect(table('funded', none)).toEqual({
      'no lock': 'waiting, supersedes',
      'the lock is taken': 'funded, supersedes',
      'given back': 'done, supersedes',
      'the coin, in no block': 'funded',
      'the coin, in one block': 'funded',
      'the coin': 'claiming, htlc.spend claim, supersedes',
      'the coin, too late': 'funded',
      'a coin of less': 'funded',
      'another coin': 'claiming, htlc.spend claim, supersedes',
      'our claim, in no block': 'claiming, htlc.spend claim, supersedes',
      'our claim, buried': 'claiming, htlc.spend claim, supersedes',
      'a claim of ours that nobody knows, buried': 'claiming, htlc.spend claim, supersedes',
      serverfunded: 'funded',
      serverwontfund: 'asking, provider.refund-evm',
      'the owner wants it back': 'asking, provider.refund-evm',
      'the timelock': 'refunding, evm.send, supersedes',
    });
  });

  test('what made the coin is kept from before the secret leaves, for every claim of it that follows', () => {
    const funding = new Uint8Array([7]);
    const claim = {
      is: 'onchain.prepared',
      leg: 'bitcoin',
      purpose: 'claim',
      txid: claimTxid,
      rate: 2,
      capped: false,
    } as const;
    const prepared = { ...claim, amount: terms.targetAmount, height: startHeight, funding };
    const progress = stateAt('claiming', { spends: [], shown: false });
    const sent = machine.step(terms, progress, prepared, evmClocksAt(start));
    if (sent === 'stay') throw new Error('it is not sent');
    const stuck = { is: 'onchain.stuck', leg: 'bitcoin', txid: claimTxid, leastRate: 4 } as const;
    const raised = machine.step(terms, machine.shape.progress.read(sent.progress, 1), stuck, evmClocksAt(start));
    if (raised === 'stay') throw new Error('it is not raised');
    expect([...sent.effects, ...raised.effects]).toMatchObject([
      { do: 'onchain.broadcast', funding },
      { do: 'htlc.spend', funding, leastRate: 4 },
    ]);
  });

  test('while its coin is not deep the chain is waited for, and no longer the provider', () => {
    const turns = [null, coinOf()].map((coin) => {
      const progress = stateAt('funded', { ...none, coin });
      const { phase, turn } = takenEvmBitcoin.steps(progress, terms);
      return [phase, turn.who, turn.step];
    });
    expect(turns).toEqual([
      ['wait', 'provider', 'lock'],
      ['wait', 'nobody', 'confirm-lock'],
    ]);
  });

  test('a refund is offered only to whom the provider would sign one: not while its coin is there', () => {
    const offers = [{}, { coin: coinOf() }, { coin: coinOf(), takenBack: true }].map((change) => {
      const progress = stateAt('funded', { ...none, ...change });
      const { state, why } = takenEvmBitcoin.facts(terms, progress, evmClocksAt(start)).refund;
      return `${state}: ${why}`;
    });
    expect(offers).toEqual(['possible: in-progress', 'later: provider-locked', 'possible: in-progress']);
  });

  test.each([{ relayed: true }, { takenBack: true }])(
    'no coin is claimed any more once a refund of ours is on its way, or the coin was taken back: %j',
    (change) => {
      const claims = Object.values(table('funded', { ...none, ...change })).filter((step) => step.includes('htlc'));
      expect(claims).toEqual([]);
    },
  );

  test('who has our secret is not asked for anything back: whatever lies there is claimed at once', () => {
    expect(table('funded', { ...none, takenBy: tx.claim })).toMatchObject({
      'the coin, in no block': 'claiming, htlc.spend claim, supersedes',
      'the coin, too late': 'claiming, htlc.spend claim, supersedes',
      'a coin of less': 'claiming, htlc.spend claim, supersedes',
      'no coin, after its locktime': 'lost, supersedes, FLAG',
    });
    const steps = table('funded', { ...none, takenBy: tx.claim });
    expect([steps['the timelock'], steps['the owner wants it back']]).toEqual([undefined, undefined]);
  });

  test('its refund of the coin has won only when it is buried, and ours does not count beside its taking', () => {
    expect([
      table('funded', { ...none, takenBy: tx.claim }),
      table('funded', { ...none, relayed: true, takenBy: tx.claim }),
    ]).toMatchObject([
      {
        'taken back, in no block': 'claiming, htlc.spend claim, supersedes',
        'taken back, buried': 'lost, supersedes, FLAG',
      },
      { 'the coin': 'claiming, htlc.spend claim, supersedes' },
    ]);
  });

  test('a claim that was never sent is called off, and one that may be out never', () => {
    expect([table('claiming', ours), table('claiming', { ...ours, shown: true })]).toMatchObject([
      {
        'claim prepared': 'claiming, onchain.broadcast',
        'claim waits': 'claiming, htlc.spend claim',
        'claim buried': 'claimed, supersedes',
        'claim too late': 'funded, supersedes',
        'taken back, buried': 'funded, supersedes',
      },
      {
        'claim refused': 'claiming, htlc.spend claim, FLAG',
        'taken back, buried': 'funded, supersedes, FLAG',
        'another coin': 'claiming, htlc.spend claim, supersedes',
      },
    ]);
    const shown = table('claiming', { ...ours, shown: true });
    expect([shown['no coin'], shown['the timelock'], shown['the owner wants it back']]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    // Another life of this node showed it first: the claim that was to be the first goes out all the same.
    expect(shown['claim too late']).toBe('claiming, htlc.spend claim');
  });

  test('with both legs the provider owes us the swap', () => {
    expect([
      table('claiming', { ...ours, shown: true, takenBy: tx.claim })['taken back, buried'],
      table('funded', { ...none, takenBack: true })['the lock is taken'],
    ]).toEqual(['lost, supersedes, FLAG', 'lost, supersedes, FLAG']);
  });
});

test('what first shows the secret is judged once more when it is sent, and a raise of its fee is not', () => {
  const prepared = takeEvmBitcoinCase.events.find(({ label }) => label === 'claim prepared')?.event as Event;
  const conditionOf = (shown: boolean) => {
    const step = machine.step(terms, stateAt('claiming', { shown }), prepared, evmClocksAt(start + 7_200));
    const [effect] = step === 'stay' ? [] : step.effects;
    return effect?.do === 'onchain.broadcast' ? (effect.onlyIf ?? null) : 'no broadcast';
  };
  const { margin, mtpLag } = terms.policy;
  expect([conditionOf(false), conditionOf(true)]).toMatchObject([
    {
      notAfter: htlc.refundLocktime - margin - mtpLag,
      paidOut: { targetAmount: 100_000n, refundLocktime: htlc.refundLocktime },
    },
    null,
  ]);
});

test('of several coins the deepest whole one is claimed', () => {
  const coins = [coinOf({ amount: 1n as never }), coinOf({ height: startHeight + 5 }), coinOf({}, otherPoint)];
  const look = { is: 'htlc.seen', coins, height: startHeight + 10, mtp: start, asked: unix(start + 7_200) } as const;
  const step = machine.step(terms, stateAt('funded', none), look, evmClocksAt(start + 7_200));
  expect(step === 'stay' ? step : step.effects).toMatchObject([{ do: 'htlc.spend', coin: otherPoint }]);
});

test('every state that is not over is watched, says who is waited for, and is read again as it was saved', () => {
  const { states } = explore(takeEvmBitcoinCase);
  const wrong = states.filter(
    (progress) =>
      !/^[a-z]+: [a-z-]+$/.test(machine.nextAction(terms, progress)) ||
      (machine.open(terms, progress) && machine.watches(terms, progress).length === 0),
  );
  expect(wrong).toEqual([]);
  expect(states.map((progress) => machine.shape.progress.read(progress, 1))).toEqual(states);
  expect(machine.shape.terms.read(terms, 1)).toEqual(terms);
});

test('a bundle holds both legs, and says whether the secret may be out; no coin that was given up', () => {
  const bundled = (progress: TakeEvmBitcoinProgress) => machine.rescue?.(terms, progress) ?? null;
  const lock = { on: 'evm', taker: { key: terms.evmKey, destination: terms.account } };
  const claim = { on: 'bitcoin', terms: htlc, coin: coinPoint };
  expect([
    bundled(stateAt('funded', none)),
    bundled(stateAt('funded', { relayed: true })),
    bundled(stateAt('funded', { relayed: true, takenBy: tx.claim })),
    bundled(stateAt('funded', { takenBack: true })),
    bundled(stateAt('claiming', { spends: [], shown: false })),
    bundled(stateAt('claiming', ours)),
  ]).toMatchObject([
    { claim: { ...claim, coin: null }, refund: lock, shown: false },
    { claim: null, refund: lock, shown: false },
    { claim: { on: 'bitcoin' }, refund: lock, shown: true },
    { claim: null, refund: lock, shown: false },
    { claim, refund: lock, shown: false },
    { claim, refund: lock, shown: true },
  ]);
});
