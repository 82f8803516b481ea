import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SeenLock } from '../../engine/legs/evm/events.ts';
import type { TakerClaim } from '../../engine/legs/evm/taker-acts.ts';
import type { Effect, Event } from '../../engine/swap/machine.ts';
import { unix } from '../../engine/domain/time.ts';
import { preimage, start } from '../swap/cases.ts';
import { evmClocksAt } from '../swap/evm-lightning-cases.ts';
import { explore } from '../swap/explore.ts';
import { representatives, tableOf } from '../swap/table.ts';
import {
  exchanged,
  exchangedAlone,
  locks,
  offer,
  ownTransaction,
  takeArkadeEvmCase,
  terms,
  tx,
} from './arkade-evm-cases.ts';
import { noLock, type TakeArkadeEvmProgress } from './taken.ts';

const { machine, first } = takeArkadeEvmCase;
const ends = {
  redeemed: { is: 'redeemed', preimage, txid: tx.claim },
  refunded: { is: 'refunded', txid: tx.refund },
} as const;

function table(name: string, of = takeArkadeEvmCase): Record<string, string> {
  const progress = representatives(of).get(name);
  if (progress === undefined) throw new Error(`${name} is never reached; ${[...representatives(of).keys()].join()}`);
  return tableOf(of, progress);
}

describe('taking from Arkade to an EVM chain', () => {
  test('the secret is shown for the very lock that was agreed, buried and in time, and for nothing else', () => {
    const { 'the lock': claim, ...rest } = table('funded');
    expect([claim, Object.keys(rest).filter((label) => rest[label]?.startsWith('claiming'))]).toEqual([
      'claiming, provider.claim-evm, supersedes',
      ['claimed, shallow'],
    ]);
    expect(table('funded', ownTransaction)['the lock']).toBe('claiming, evm.send, supersedes');
  });

  test('fault 343, evm: a small lock is claimed with fewer blocks on it, and over with as many as any', () => {
    const small = { ...terms, showDepth: 3 };
    const stepOf = (name: string, lock: Partial<SeenLock>) => {
      const p = representatives(takeArkadeEvmCase).get(name);
      if (p === undefined) throw new Error(`${name} is never reached`);
      const { event, now } = locks('the lock', offer(lock));
      return machine.step(small, p, event, now);
    };
    expect(stepOf('funded', { confirmations: 2 })).toMatchObject({ progress: { at: 'funded' }, effects: [] });
    expect(stepOf('funded', { confirmations: 3 })).toMatchObject({
      progress: { at: 'claiming' },
      effects: [{ do: 'provider.claim-evm', onlyIf: { offer: { confirmations: 3 } } }],
    });
    const { redeemed, refunded } = ends;
    const claimed = [3, 15, 16].map((deep) => stepOf('claiming', { state: { ...redeemed, confirmations: deep } }));
    expect(claimed).toMatchObject([
      { progress: { at: 'claiming' } },
      { progress: { at: 'claiming' } },
      { progress: { at: 'claimed' } },
    ]);
    expect(stepOf('claiming', { state: { ...refunded, confirmations: 15 } })).toBe('stay');
  });

  test('a lock that too few RPCs can be asked of shows nothing of the secret, and says who is away', () => {
    const funded = representatives(takeArkadeEvmCase).get('funded');
    if (funded === undefined) throw new Error('nothing is funded');
    const doubt = 'This needs the word of two RPCs, and b.example cannot be asked.';
    const { event, now } = locks('the lock', offer({ confirmations: 0, doubt }));
    expect(machine.step(terms, funded, event, now)).toMatchObject({
      progress: { at: 'funded', target: { unsafe: doubt } },
      effects: [],
    });
  });

  test('with the coin taken before a lock was seen, that is waited for and claimed at any time', () => {
    const hear = (label: string, p: TakeArkadeEvmProgress) => {
      const { event, now } = takeArkadeEvmCase.events.find((one) => one.label === label)!;
      return machine.step(terms, p, event, now);
    };
    const step = hear('the provider took the coin', first);
    if (step === 'stay') throw new Error('the coin is not seen');
    const { progress: left } = step;
    expect([
      left.at,
      machine.watches(terms, left).map(({ on }) => on),
      hear('the provider took the coin', left),
    ]).toEqual(['funded', expect.arrayContaining(['vhtlc', 'evm-lock']), 'stay']);
    expect(hear('the lock, nearly over', left)).toMatchObject({
      progress: { at: 'claiming' },
      effects: [{ do: 'evm.send', act: { is: 'taker-claim' } }],
    });
    expect(hear('the locktime', left)).toBe('stay');
  });

  test('once asked, a claim goes on by every way until the lock is over', () => {
    expect(table('claiming')).toEqual({
      'two coins': 'claiming',
      'a coin': 'claiming',
      'the provider took the coin': 'claiming, learns',
      'it took one of two': 'claiming, learns',
      'the coin came back': 'claiming',
      'claimed, shallow': 'claiming',
      claimed: 'claimed, supersedes',
      'taken back': 'funded, supersedes, FLAG',
      withheld: 'funded',
      'nobody heard it': 'claiming, evm.send',
      'the provider declines': 'claiming, evm.send',
      signed: 'claiming',
      serverfunded: 'claiming',
      serverwontfund: 'claiming',
      'the lock, nearly over': 'claiming, evm.send, provider.claim-evm, supersedes',
      'a quarter of an hour': 'claiming, evm.send, provider.claim-evm, supersedes',
      'the locktime': 'claiming, evm.send, provider.claim-evm, supersedes',
    });
  });

  test('our own transaction that reverts is sent again, and one that never was signed shows nothing', () => {
    const claiming = representatives(ownTransaction).get('claiming');
    if (claiming?.at !== 'claiming') throw new Error('nothing is claimed');
    const signed = { ...claiming, target: { ...claiming.target, sent: '4d'.repeat(32), alone: false } };
    expect([tableOf(ownTransaction, claiming)['not safe any more'], tableOf(ownTransaction, signed)]).toMatchObject([
      'funded',
      { 'ours reverts': 'claiming, evm.send' },
    ]);
    expect(tableOf(ownTransaction, signed)['not safe any more']).toBeUndefined();
  });
});

test('fault 143, evm: a secret that nobody heard leaves with our own transaction while that is safe', () => {
  const claiming = representatives(takeArkadeEvmCase).get('claiming');
  if (claiming?.at !== 'claiming') throw new Error('nothing is claimed');
  const unasked = { ...claiming, target: { ...claiming.target, claimTxid: null, sent: null, by: 'provider' as const } };
  const event = { is: 'provider.claim-withheld', reason: 'away', unreached: true } as const;
  expect(takeArkadeEvmCase.machine.step(terms, unasked, event, evmClocksAt(start))).toMatchObject({
    progress: { at: 'claiming', target: { by: 'node', alone: true } },
    effects: [{ do: 'evm.send', act: { is: 'taker-claim' }, onlyIf: { offer: {} } }],
  });
});

test('fault 148, evm: who waited for ten minutes is judged before the secret is shown, like anybody', () => {
  const claiming = representatives(takeArkadeEvmCase).get('claiming');
  if (claiming?.at !== 'claiming') throw new Error('nothing is claimed');
  const waiting = { ...claiming, target: { ...claiming.target, claimTxid: null, sent: null, by: 'provider' as const } };
  const { machine } = takeArkadeEvmCase;
  const overdue = machine.step(terms, waiting, { is: 'clock' }, evmClocksAt(start + 1_500));
  if (overdue === 'stay') throw new Error('nobody claims');
  expect(overdue.effects).toEqual(
    ['evm.send', 'provider.claim-evm'].map((act) =>
      expect.objectContaining({ do: act, onlyIf: expect.objectContaining({ offer: expect.anything() }) as unknown }),
    ),
  );
  const refused: Event = { is: 'evm.refused', purpose: 'taker-claim', reason: 'too late' };
  const hear = (event: Event) => machine.step(terms, overdue.progress, event, evmClocksAt(start + 1_600));
  expect([hear(refused), hear({ ...refused, unshown: true })]).toEqual([
    'stay',
    expect.objectContaining({ progress: expect.objectContaining({ at: 'funded' }) as unknown, supersedes: ['evm'] }),
  ]);
});

test('fault 109, evm: a wall that is set back once the secret was shown keeps no claim waiting', () => {
  const claiming = representatives(takeArkadeEvmCase).get('claiming');
  if (claiming?.at !== 'claiming') throw new Error('nothing is claimed');
  const shown = {
    ...claiming,
    target: { ...claiming.target, since: unix(start + 3 * 86_400), claimTxid: null, declined: null },
  };
  const { event, now } = locks('the lock', offer());
  const sent = (progress: TakeArkadeEvmProgress) => {
    const outcome = machine.step(terms, progress, event, now);
    return outcome === 'stay' ? 'stay' : outcome.effects.map((effect) => effect.do);
  };
  expect([sent(shown), sent({ ...shown, target: { ...shown.target, since: now.wall } })]).toEqual([
    ['evm.send', 'provider.claim-evm'],
    'stay',
  ]);
});

describe('fault 118, arkade: the provider takes our coin with a secret that this database never gave away', () => {
  const { events } = takeArkadeEvmCase;
  const after = (labels: readonly string[], more: Event[] = []) => {
    const tellings = labels.map((label) => events.find((one) => one.label === label)!);
    const all = [...tellings, ...more.map((event) => ({ event, now: tellings.at(-1)!.now }))];
    return all.reduce<{ progress: TakeArkadeEvmProgress; sent: string[]; flags: string[] }>(
      ({ progress, flags }, { event, now }) => {
        const step = machine.step(terms, progress, event, now);
        if (step === 'stay') return { progress, sent: [], flags };
        const { flag } = step;
        return {
          progress: step.progress,
          sent: step.effects.map((effect) => effect.do),
          flags: flag === undefined ? flags : [...flags, flag],
        };
      },
      { progress: first, sent: [], flags: [] },
    );
  };
  const lookAt = (time: number): Event => ({ ...locks('', ...[]).event, time: unix(time) }) as Event;
  const { timelock } = offer().terms;

  test('what it locked for that is claimed, at whatever depth and however late', () => {
    for (const lock of ['the lock', 'the lock, shallow', 'the lock, nearly over'])
      for (const before of [['the provider took the coin'], ['a coin', 'the provider took the coin']])
        expect(after([...before, lock])).toMatchObject({ progress: { at: 'claiming' }, sent: ['evm.send'] });
    expect(machine.watches(terms, after(['the provider took the coin']).progress)).toContainEqual(
      expect.objectContaining({ on: 'evm-lock' }),
    );
  });

  test('no other coin that is asked back comes before it', () => {
    const asking = after(['it took one of two', 'the owner wants it back']);
    expect([asking.progress.at, asking.sent]).toEqual(['asking', ['provider.cosign']]);
    expect(machine.watches(terms, asking.progress)).toContainEqual(expect.objectContaining({ on: 'evm-lock' }));
    for (const refund of [[], ['refund signed']])
      expect(after(['it took one of two', 'the owner wants it back', ...refund, 'the lock'])).toMatchObject({
        progress: { at: 'claiming' },
        sent: ['evm.send'],
      });
  });

  test('it is over once it is claimed, or nothing is there to be claimed any more', () => {
    const over = (labels: readonly string[], ...more: Event[]) => {
      const took = events.find(({ label }) => label === 'the provider took the coin')!.event;
      const { progress, flags } = after(['the provider took the coin', ...labels], [...more, took]);
      return [progress.at, machine.status(progress), flags.length];
    };
    expect([
      over(['claimed']),
      over(['taken back, shallow']),
      over(['taken back']),
      over(['no lock'], lookAt(Number(timelock) + terms.policy.margin - 1)),
      over(['no lock'], lookAt(Number(timelock) + terms.policy.margin)),
    ]).toEqual([
      ['done', 'serverredeemed', 0],
      ['funded', 'clientfunded', 0],
      ['done', 'clientfundedserverrefunded', 1],
      ['funded', 'clientfunded', 0],
      ['done', 'clientfundedserverrefunded', 1],
    ]);
  });

  test('in no order of things does it end before', () => {
    const ends = explore(takeArkadeEvmCase).states.filter(
      (p) => p.at === 'done' && p.proof !== null && p.target.claimTxid === null && !p.target.takenBack,
    );
    expect(ends).toEqual([]);
  });
});

describe('fault 119, arkade: of two coins one is taken before our claim is buried, or while the node sleeps', () => {
  const after = (...labels: readonly string[]) => {
    const states = [first];
    for (const label of labels) {
      const { event, now } = takeArkadeEvmCase.events.find((one) => one.label === label)!;
      const step = machine.step(terms, states.at(-1)!, event, now);
      if (step !== 'stay') states.push(step.progress);
    }
    return states.map(({ at }) => at);
  };

  test('the other comes back', () => {
    expect(
      after('two coins', 'the lock', 'it took one of two', 'claimed', 'it took one of two', 'the owner wants it back'),
    ).toEqual(['waiting', 'funded', 'claiming', 'claiming', 'claimed', 'funded', 'asking']);
  });

  test('the locktime ends nothing before a look says which was taken', () => {
    const slept = ['two coins', 'the lock', 'claimed', 'the locktime', 'it took one of two', 'the locktime'];
    const awake = ['two coins', 'the lock', 'it took one of two', 'claimed', 'the locktime', 'it took one of two'];
    expect([
      after(...slept),
      after(...awake, 'the locktime'),
      after('a coin', 'the lock', 'claimed', 'the locktime', 'a look after the locktime'),
    ]).toEqual([
      ['waiting', 'funded', 'claiming', 'claimed', 'funded', 'refunding'],
      ['waiting', 'funded', 'claiming', 'claiming', 'claimed', 'funded', 'refunding'],
      ['waiting', 'funded', 'claiming', 'claimed', 'done'],
    ]);
  });
});

test('fault 109, evm: a wall that is set back by days makes no price wait for days', () => {
  const price = { since: unix(start + 3 * 86_400), by: 'provider', reason: 'low', reverts: 0 } as const;
  const funded = {
    ...exchanged.first,
    at: 'funded',
    notBefore: null,
    declined: null,
    target: { ...noLock, price },
  } as never;
  const { event, now } = locks('the lock', offer());
  expect(machine.step(exchanged.terms, funded, event, now)).toMatchObject({
    progress: { at: 'claiming', target: { by: 'node' } },
  });
});

test('a price out of reach is waited for while there is time, and then the lock is claimed as it is', () => {
  const waiting: TakeArkadeEvmProgress = { ...exchanged.first, at: 'funded', notBefore: null, declined: null } as never;
  const step = (progress: TakeArkadeEvmProgress, label: string, minutes: number) => {
    const telling = exchanged.events.find((one) => one.label === label);
    if (telling === undefined) throw new Error(label);
    const now = { ...telling.now, wall: unix(start + 600 + minutes * 60) };
    const stepped = exchanged.machine.step(exchanged.terms, progress, telling.event, now);
    return stepped === 'stay' ? { progress, effects: [] } : stepped;
  };
  const wants = ({ effects }: { readonly effects: readonly Effect[] }) =>
    effects.map((effect) => [effect.do, claimOf({ effect, isOut: false, at: '' })?.sweepToken]);
  const { exchange, pegged } = exchanged.terms;
  const first = step(waiting, 'the lock', 0);
  const back = step(first.progress, 'no price, says the provider’s claim', 0);
  const paused = step(back.progress, 'the lock', 0.5);
  const second = step(paused.progress, 'the lock', 2);
  const again = step(second.progress, 'no price for ours', 2);
  const atLast = step(again.progress, 'the lock, late', 3);
  expect([wants(first), back.progress.at, wants(paused), wants(second), again.progress.at, wants(atLast)]).toEqual([
    [['provider.claim-evm', exchange?.token.address]],
    'funded',
    [],
    [['evm.send', exchange?.token.address]],
    'funded',
    [['provider.claim-evm', pegged.address]],
  ]);
});

test('a bundle claims the token of the lock itself, whatever was wanted of it', () => {
  const lock = exchanged.events.find(({ label }) => label === 'the lock');
  const bundles = (of: typeof takeArkadeEvmCase) => {
    const waits: TakeArkadeEvmProgress = { ...of.first, at: 'funded', notBefore: null, declined: null } as never;
    const claims = lock === undefined ? 'stay' : of.machine.step(of.terms, waits, lock.event, lock.now);
    return [waits, ...(claims === 'stay' ? [] : [claims.progress])].map((at) => of.machine.rescue?.(of.terms, at));
  };
  expect(bundles(exchanged)).toEqual(bundles(takeArkadeEvmCase));
  expect(bundles(exchanged)).toMatchObject([{ shown: false }, { shown: true, claim: { on: 'evm' } }]);
});

interface Sent {
  readonly effect: Effect;
  readonly at: string;
  /** The provider took our coin with the secret before. */
  readonly isOut: boolean;
}

/** What a machine asks for when these events come one after the other. */
function played(of: typeof takeArkadeEvmCase, indexes: readonly number[]): { sent: Sent[]; states: string[] } {
  let progress = of.first;
  const sent: Sent[] = [];
  const states: string[] = [progress.at];
  for (const index of indexes) {
    const telling = of.events[index % of.events.length];
    if (telling === undefined) continue;
    const step = of.machine.step(of.terms, progress, telling.event, telling.now);
    if (step === 'stay') continue;
    sent.push(
      ...step.effects.map((effect) => ({
        effect,
        at: progress.at,
        isOut: 'proof' in progress && progress.proof !== null,
      })),
    );
    progress = step.progress;
    states.push(progress.at);
  }
  return { sent, states };
}

const shows = ({ effect }: Sent): boolean =>
  effect.do === 'provider.claim-evm' || (effect.do === 'evm.send' && effect.act.is === 'taker-claim');
const refunds = ({ effect }: Sent): boolean =>
  effect.do === 'provider.cosign' ||
  effect.do === 'vhtlc.refund' ||
  (effect.do === 'vhtlc.submit' && effect.purpose === 'refund');

const orders = fc.array(fc.nat({ max: exchanged.events.length - 1 }), { minLength: 1, maxLength: 40 });

/** What a claim signs at least: the token of the lock whole, or the other one and no less than was agreed. */
function claimOf({ effect }: Sent): TakerClaim | null {
  if (effect.do === 'provider.claim-evm') return effect.claim;
  return effect.do === 'evm.send' && effect.act.is === 'taker-claim' ? effect.act : null;
}

const whole = { sweepToken: terms.pegged.address, minAmountOut: 100_000n };

function signable({ terms: { exchange } }: typeof takeArkadeEvmCase): readonly object[] {
  if (exchange === undefined) return [whole];
  const { token, least, slippageBps } = exchange;
  return [whole, { sweepToken: token.address, minAmountOut: least, slippageBps }];
}

const cases = { takeArkadeEvmCase, ownTransaction, exchanged, exchangedAlone };

test.each(Object.entries(cases))('in whatever order things happen, both legs are never taken: %s', (_, of) => {
  fc.assert(
    fc.property(orders, (indexes) => {
      const { sent, states } = played(of, indexes);
      for (const one of sent) {
        // What is signed is what was verified.
        const claim = claimOf(one);
        if (claim !== null) {
          const { sweepToken, minAmountOut, slippageBps, destination, calls } = claim;
          expect([destination, calls]).toEqual([terms.destination, []]);
          expect(signable(of)).toContainEqual({ sweepToken, minAmountOut, slippageBps });
        }
        // The secret is shown first for a lock that is judged again at that moment, unless the provider has it.
        if (one.at !== 'claiming' && !one.isOut && shows(one)) expect(one.effect).toHaveProperty('onlyIf.offer');
        if (refunds(one)) expect(one.at).not.toMatch(/^(claiming|claimed)$/);
      }
      expect(states.slice(states.indexOf('claimed') === -1 ? states.length : states.indexOf('claimed'))).not.toContain(
        'claiming',
      );
    }),
    { numRuns: 2_000 },
  );
});

test('every state that is not over is watched, and says who is waited for', () => {
  const wrong = explore(takeArkadeEvmCase).states.filter(
    (progress) =>
      !/^[a-z]+: [a-z-]+$/.test(machine.nextAction(terms, progress)) ||
      (machine.open(terms, progress) && machine.watches(terms, progress).length === 0),
  );
  expect([wrong, first.at]).toEqual([[], 'waiting']);
});

test('a provider that refuses, lies or stays silent is told of, and nothing was paid', () => {
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
