import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import { safeToReveal } from '../../engine/legs/safety/reveal.ts';
import { revealMargin } from '../../engine/legs/timelocks.ts';
import type { Effect, Event, Machine } from '../../engine/swap/machine.ts';
import { clocksAt, coin, coinPoint, otherPoint, start, txid, unread, type Case } from '../swap/cases.ts';
import { explore } from '../swap/explore.ts';
import { movesTo, representatives, tableOf } from '../swap/table.ts';
import { claimDeal, takeArkadeCase, takeArkadeTerms, takeLightningCase, takeLightningTerms } from './cases.ts';
import {
  takeArkadeLightning,
  takeLightningArkade,
  type TakeArkadeLightningProgress,
  type TakeLightningArkadeProgress,
} from './taken.ts';
import { takenArkadeLightning } from '../../engine/taker/directions/arkade-lightning.ts';
import { takenLightningArkade } from '../../engine/taker/directions/lightning-arkade.ts';

function stateOf<P extends { readonly at: string }>(
  of: Parameters<typeof representatives<never, P>>[0],
  name: string,
): P {
  const progress = representatives(of).get(name);
  if (progress === undefined) throw new Error(`${name} is never reached; ${[...representatives(of).keys()].join()}`);
  return progress;
}

/** What comes of one event, in words; `stay` when it changes nothing. */
function outcome<T, P extends { readonly at: string }>(
  { machine, terms }: Case<T, P>,
  progress: P,
  event: Event,
): string {
  const step = machine.step(terms, progress, event, clocksAt(start + 60));
  return step === 'stay' ? 'stay' : movesTo(step).replace(/(vhtlc\.exit) (claim|refund)/, '$1');
}

/** Prepared, stuck, beaten, refused and buried. */
function onChain(purpose: 'claim' | 'refund'): Event[] {
  const id = txid[purpose];
  return [
    {
      is: 'onchain.prepared',
      leg: 'arkade',
      purpose,
      txid: id,
      amount: sats(50_000),
      rate: 2,
      capped: false,
      height: 900_000,
    },
    { is: 'onchain.stuck', leg: 'arkade', txid: id, leastRate: 3 },
    { is: 'onchain.refused', leg: 'arkade', txid: id, why: 'spent', reason: 'another spent it' },
    { is: 'onchain.refused', leg: 'arkade', txid: id, why: 'refused', reason: 'the node says no' },
    { is: 'onchain.final', leg: 'arkade', txid: id, fee: sats(300) },
  ];
}

describe('taking from Lightning', () => {
  const table = (name: string) => tableOf(takeLightningCase, stateOf(takeLightningCase as never, name));
  const unfit = {
    'the lock, when there is no time left': 'waiting The refund may open in 0 seconds; a claim needs 3600.',
    'a lock that is short': 'waiting The coin holds 99749 sats; 99750 were agreed.',
    'a lock that expired': 'waiting The coin is past its expiry: its timelocks protect nobody.',
    'a lock that was unrolled': 'waiting The coin has left the operator for the chain.',
    'taken back': 'waiting The coin is already spent.',
    'gone without a reason': 'waiting The coin is already spent.',
  };

  test('claims a lock that is whole and in time, and gives the secret away for nothing else', () => {
    expect(table('waiting null')).toEqual({
      ...unfit,
      'the lock': 'claiming, vhtlc.claim, supersedes',
      'claimed by us': 'claimed',
      'claimed by an earlier try of ours': 'claimed',
      'provider: clientfunded': 'waiting null',
      'provider: serverwontfund': 'waiting null',
      'provider: expired': 'lapsed',
      'the locktime': 'lapsed',
    });
  });

  test('a claim goes from signed to sent to final, and back to waiting where it was not sent', () => {
    expect(table('claiming')).toEqual({
      prepared: 'claiming, vhtlc.submit claim',
      accepted: 'claiming, vhtlc.finalize claim',
      final: 'claimed',
      'refused: late': 'waiting late',
      'refused before it was sent: recoverable': 'waiting the coin expired',
      'refused: spent': 'claiming',
      'refused: recoverable': 'claiming, vhtlc.settle claim',
      'refused: refused': 'claiming, vhtlc.claim, FLAG',
      'claimed by us': 'claimed, supersedes',
      'claimed by an earlier try of ours': 'claimed, supersedes',
      'taken back': 'lost, supersedes, FLAG',
      'gone without a reason': 'claiming, FLAG, DISTRUST',
      'provider: clientfunded': 'claiming',
      'provider: serverwontfund': 'claiming',
      'provider: expired': 'claiming',
    });
  });

  test('a claim of a coin that was called spent is signed again at the next sight of it unspent', () => {
    const halted: TakeLightningArkadeProgress = {
      at: 'claiming',
      deal: claimDeal,
      said: 'serverfunded',
      target: { halted: true, coin: coinPoint, claimTxid: null },
    };
    expect(tableOf(takeLightningCase, halted)['the lock']).toBe('claiming, vhtlc.claim');
  });

  test('a coin that went to the chain before the secret left is none; after it, it is claimed there', () => {
    const claiming = {
      at: 'claiming',
      deal: claimDeal,
      said: 'serverfunded',
      target: { coin: coinPoint, claimTxid: txid.claim },
    } as const;
    const after = outcome(takeLightningCase, claiming, {
      is: 'vhtlc.refused',
      purpose: 'claim',
      txid: txid.claim,
      why: 'unrolled',
      reason: 'on the chain',
    });
    const exiting: TakeLightningArkadeProgress = {
      ...claiming,
      target: { coin: coinPoint, claimTxid: null, exit: true },
    };
    expect([
      outcome(takeLightningCase, claiming, {
        is: 'vhtlc.refused',
        purpose: 'claim',
        txid: null,
        why: 'unrolled',
        reason: 'on the chain',
      }),
      after,
    ]).toEqual(['waiting on the chain', 'claiming exit, vhtlc.exit']);
    expect(onChain('claim').map((event) => outcome(takeLightningCase, exiting, event))).toEqual([
      'claiming exit, onchain.broadcast',
      'claiming exit, vhtlc.exit',
      'claiming exit',
      'claiming exit, vhtlc.exit, FLAG',
      'claimed',
    ]);
    const spentCoin = {
      outpoint: coinPoint,
      unrolled: true,
      spent: true,
      spentIn: txid.refund,
      spend: { leaf: 'refund-without-receiver' },
    } as const;
    const lost = [null, 900_000 - 4, 900_000 - 5].map((height) =>
      outcome(takeLightningCase, exiting, { is: 'vhtlc.seen', coins: [coin({ ...spentCoin, onChain: { height } })] }),
    );
    expect(lost).toEqual(['stay', 'stay', 'lost, supersedes, FLAG']);
  });

  test('nothing moves a swap that is over', () => {
    expect([table('lapsed'), table('claimed'), table('lost')]).toEqual([{}, {}, {}]);
  });

  test('an unread Bitcoin clock keeps the secret here', () => {
    const answer = takeLightningCase.machine.step(
      takeLightningTerms,
      takeLightningCase.first,
      { is: 'vhtlc.seen', coins: [coin({ amount: claimDeal.target.amount })] },
      unread(start + 60),
    );
    expect(answer).toMatchObject({
      progress: { at: 'waiting', target: { unsafe: 'The Bitcoin clock has not been read yet.' } },
      effects: [],
    });
  });

  test('a claim is judged once more when it is sent', () => {
    const claiming = stateOf<TakeLightningArkadeProgress>(takeLightningCase as never, 'claiming');
    const step = takeLightningCase.machine.step(
      takeLightningTerms,
      claiming,
      { is: 'vhtlc.prepared', purpose: 'claim', txid: txid.claim, output: coinPoint },
      clocksAt(start + 60),
    );
    const { refundLocktime } = claimDeal.target.vhtlc;
    const { policy } = takeLightningTerms;
    expect(step === 'stay' ? [] : step.effects).toEqual([
      {
        do: 'vhtlc.submit',
        coin: coinPoint,
        purpose: 'claim',
        txid: txid.claim,
        onlyIf: {
          notAfter: refundLocktime - revealMargin(policy),
          reveal: {
            script: claimDeal.target.script,
            outpoint: coinPoint,
            targetAmount: claimDeal.target.amount,
            refundLocktime,
            policy,
          },
        },
      },
    ]);
  });

  test('a secret never leaves for a lock that is not good, in whatever order things happen', () => {
    const event = fc.nat({ max: takeLightningCase.events.length - 1 }).map((i) => takeLightningCase.events[i]);
    const amounts = fc.integer({ min: -2, max: 2 });
    const moments = fc.integer({ min: 0, max: 14 * 3_600 });
    const coins = fc.record({
      over: amounts,
      expires: fc.integer({ min: -3_600, max: 24 * 3_600 }),
      recoverable: fc.boolean(),
      unrolled: fc.boolean(),
      spent: fc.boolean(),
    });
    const happenings = fc.array(fc.oneof(event, fc.record({ coin: coins, at: moments })), { maxLength: 30 });
    let claims = 0;
    fc.assert(
      fc.property(happenings, (story) => {
        let progress: TakeLightningArkadeProgress = takeLightningCase.first;
        for (const one of story) {
          if (one === undefined) continue;
          const now = 'coin' in one ? clocksAt(start + one.at) : one.now;
          const coins =
            'coin' in one
              ? [
                  coin({
                    ...one.coin,
                    amount: (claimDeal.target.amount + BigInt(one.coin.over)) as never,
                    expiresAt: unix(claimDeal.target.vhtlc.refundLocktime + one.coin.expires),
                  }),
                ]
              : null;
          const happened = 'coin' in one ? { is: 'vhtlc.seen' as const, coins: coins ?? [] } : one.event;
          const before: TakeLightningArkadeProgress = progress;
          const step = takeLightningCase.machine.step(takeLightningTerms, progress, happened, now);
          if (step === 'stay') continue;
          progress = step.progress;
          for (const effect of step.effects) {
            if (effect.do === 'vhtlc.claim' && before.at === 'waiting') {
              claims++;
              const good =
                happened.is === 'vhtlc.seen'
                  ? happened.coins.find(({ outpoint }) => outpoint === effect.coin)
                  : undefined;
              if (good === undefined) throw new Error('a claim of a coin that nobody saw');
              expect(
                safeToReveal(
                  {
                    coin: good,
                    targetAmount: claimDeal.target.amount,
                    refundLocktime: claimDeal.target.vhtlc.refundLocktime,
                  },
                  now,
                  takeLightningTerms.policy,
                ),
              ).toBe(null);
            }
            // Once the operator has had the secret nothing is gained by holding it back.
            if (effect.do === 'vhtlc.submit' && before.at === 'claiming')
              expect(effect.onlyIf?.reveal?.outpoint).toEqual(
                before.target.told === true ? undefined : before.target.coin,
              );
            if (effect.do === 'vhtlc.settle') expect(before).toMatchObject({ at: 'claiming' });
          }
        }
      }),
      { numRuns: 2_000, seed: 20_261_121 },
    );
    expect(claims).toBeGreaterThan(200);
  });
});

describe('taking from Arkade', () => {
  const table = (name: string) => tableOf(takeArkadeCase, stateOf(takeArkadeCase as never, name));

  test('what lies at our address decides, whatever the provider says', () => {
    expect(table('waiting')).toEqual({
      'a coin': 'funded',
      'two coins': 'funded',
      claimed: 'done, learns',
      'claimed beside a second coin': 'funded, learns',
      'claimed with another preimage': 'funded, FLAG, DISTRUST',
      refunded: 'done',
      'spent, not readable yet': 'funded',
      'gone without a reason': 'funded, FLAG, DISTRUST',
      'provider: serverfunded': 'waiting',
      'provider: serverwontfund': 'waiting',
      'provider: serverwontfund, later': 'waiting',
      'a look after the locktime': 'lapsed',
    });
  });

  test('a refund is asked of a provider that is out, and needs nobody after the locktime', () => {
    expect(table('funded')).toEqual({
      'two coins': 'funded',
      claimed: 'done, learns',
      'claimed beside a second coin': 'funded, learns',
      'claimed with another preimage': 'funded, FLAG, DISTRUST',
      refunded: 'done',
      'gone without a reason': 'funded, FLAG, DISTRUST',
      'provider: serverfunded': 'funded',
      'provider: serverwontfund': 'asking, provider.cosign',
      'provider: serverwontfund, later': 'asking, provider.cosign',
      'the owner wants it back': 'asking, provider.cosign',
      'the locktime': 'refunding, vhtlc.refund, supersedes',
    });
  });

  test('a refund that rested is tried again though the wall clock was set back meanwhile', () => {
    const funded = stateOf<TakeArkadeLightningProgress & { at: 'funded' }>(takeArkadeCase as never, 'funded');
    const over = clocksAt(funded.deal.source.vhtlc.refundLocktime + 1_801);
    const tried = [0, 60, 61, 40 * 86_400].map((later) =>
      takeArkadeCase.machine.step(
        takeArkadeTerms,
        { ...funded, notBefore: unix(over.wall + later) },
        { is: 'clock' },
        over,
      ),
    );
    expect(tried.map((step) => (step === 'stay' ? 'stay' : step.progress.at))).toEqual([
      'refunding',
      'stay',
      'refunding',
      'refunding',
    ]);
  });

  test('a provider that is asked signs, declines, or is waited out', () => {
    expect(table('asking')).toEqual({
      'two coins': 'asking',
      claimed: 'done, supersedes, learns',
      'claimed beside a second coin': 'funded, supersedes, learns',
      'claimed with another preimage': 'asking, FLAG, DISTRUST',
      refunded: 'done, supersedes',
      'gone without a reason': 'asking, FLAG, DISTRUST',
      prepared: 'refunding, vhtlc.submit refund',
      'refused: recoverable': 'refunding, vhtlc.settle refund',
      'refused before it was sent: recoverable': 'refunding, vhtlc.settle refund',
      'refused: spent': 'funded',
      'refused: late': 'funded, FLAG',
      'refused: refused': 'funded, FLAG',
      'the provider declines': 'funded',
      'the locktime': 'refunding, vhtlc.refund, supersedes',
    });
  });

  test('a coin of ours that went to the chain comes back there, and only buried', () => {
    const refunding = {
      ...stateOf<TakeArkadeLightningProgress & { at: 'refunding' }>(takeArkadeCase as never, 'refunding'),
    };
    const exiting: TakeArkadeLightningProgress = { ...refunding, refundTxid: null, exit: true };
    expect(
      outcome(takeArkadeCase, refunding, {
        is: 'vhtlc.refused',
        purpose: 'refund',
        txid: null,
        why: 'unrolled',
        reason: 'on the chain',
      }),
    ).toBe('refunding exit, vhtlc.exit');
    expect(onChain('refund').map((event) => outcome(takeArkadeCase, exiting, event))).toEqual([
      'refunding exit, onchain.broadcast',
      'refunding exit, vhtlc.exit',
      'refunding exit',
      'refunding exit, vhtlc.exit, FLAG',
      'done',
    ]);
  });

  test('a refund on its way is finished, unless the provider took the coin and so paid', () => {
    expect(table('refunding')).toEqual({
      'two coins': 'refunding',
      claimed: 'done, supersedes, learns',
      'claimed beside a second coin': 'funded, supersedes, learns',
      'claimed with another preimage': 'refunding, FLAG, DISTRUST',
      refunded: 'done, supersedes',
      'gone without a reason': 'refunding, FLAG, DISTRUST',
      prepared: 'refunding, vhtlc.submit refund',
      accepted: 'refunding, vhtlc.finalize refund',
      final: 'done',
      'refused: recoverable': 'refunding, vhtlc.settle refund',
      'refused before it was sent: recoverable': 'refunding, vhtlc.settle refund',
      'refused: spent': 'refunding',
      'refused: late': 'funded, FLAG',
      'refused: refused': 'funded, FLAG',
    });
  });

  test('an address that is paid late is taken up again', () => {
    expect([table('done'), table('lapsed')]).toEqual([
      {
        'a coin': 'funded',
        'two coins': 'funded',
        'claimed beside a second coin': 'funded',
        'a look after the locktime': 'done',
      },
      {
        'a coin': 'funded',
        'two coins': 'funded',
        claimed: 'done, learns',
        'claimed beside a second coin': 'funded, learns',
        'claimed with another preimage': 'funded, FLAG, DISTRUST',
        refunded: 'done',
        'spent, not readable yet': 'funded',
        'gone without a reason': 'funded, FLAG, DISTRUST',
      },
    ]);
  });

  test('fault 75: of two coins one is asked for at a time, the other once that is back', () => {
    const two: TakeArkadeLightningProgress = {
      ...stateOf<TakeArkadeLightningProgress & { at: 'funded' }>(takeArkadeCase as never, 'funded'),
      coins: [coinPoint, otherPoint].map((outpoint) => ({ outpoint, amount: sats(1_000), spent: false })),
    };
    const wont: Event = { is: 'provider.seen', status: 'serverwontfund' };
    const asks: unknown[] = [];
    let progress: TakeArkadeLightningProgress = two;
    for (const event of [
      wont,
      { is: 'vhtlc.prepared', purpose: 'refund', txid: txid.refund, output: coinPoint },
      { is: 'vhtlc.final', purpose: 'refund', txid: txid.refund },
      wont,
    ] satisfies Event[]) {
      const step = takeArkadeLightning.step(takeArkadeTerms, progress, event, clocksAt(start + 60));
      if (step === 'stay') continue;
      ({ progress } = step);
      for (const effect of step.effects) if (effect.do === 'provider.cosign') asks.push(effect.coin);
    }
    expect(asks).toEqual([coinPoint, otherPoint]);
  });

  test('a provider that declined is left alone for a minute', () => {
    const asking = stateOf<TakeArkadeLightningProgress>(takeArkadeCase as never, 'asking');
    const at = (moment: number) => clocksAt(start + moment);
    const declined = takeArkadeLightning.step(
      takeArkadeTerms,
      asking,
      { is: 'provider.declined', reason: 'not now' },
      at(100),
    );
    if (declined === 'stay') throw new Error('a refusal changed nothing');
    const answerAt = (moment: number) =>
      takeArkadeLightning.step(
        takeArkadeTerms,
        declined.progress,
        { is: 'provider.seen', status: 'serverwontfund' },
        at(moment),
      );
    const early = answerAt(159);
    const late = answerAt(160);
    expect([
      early === 'stay' ? [] : early.effects,
      late === 'stay' ? [] : late.effects.map((effect: Effect) => effect.do),
      takenArkadeLightning.facts(takeArkadeTerms, declined.progress, at(100)).refund.state,
    ]).toEqual([[], ['provider.cosign'], 'possible']);
  });

  test('the preimage is learned in the very commit that believes the payment', () => {
    for (const { from, step } of explore(takeArkadeCase).moves) {
      const before = 'proof' in from ? from.proof : null;
      const after = 'proof' in step.progress ? step.progress.proof : null;
      expect([step.learned !== undefined, before !== null && after === null]).toEqual([
        before === null && after !== null,
        false,
      ]);
      if (after !== null) expect(takeArkadeLightning.status(step.progress)).toBe('serverredeemed');
    }
  });
});

describe.each([
  {
    name: 'from Lightning',
    machine: takeLightningArkade as unknown as Machine<unknown, { readonly at: string }>,
    terms: takeLightningTerms,
    effects: takenLightningArkade.effects(takeLightningTerms),
  },
  {
    name: 'from Arkade',
    machine: takeArkadeLightning as unknown as Machine<unknown, { readonly at: string }>,
    terms: takeArkadeTerms,
    effects: takenArkadeLightning.effects(takeArkadeTerms),
  },
])('a swap $name that is not made yet', ({ machine, terms, effects }) => {
  const creating = { at: 'creating' };
  const judge = (event: Parameters<typeof machine.step>[2], moment = 1) =>
    machine.step(terms, creating, event, clocksAt(start + moment));

  test('asks the provider once, and without its secret', () => {
    expect(effects.map((effect) => [effect.do, JSON.stringify(effect).includes('07'.repeat(32))])).toEqual([
      ['provider.create', false],
    ]);
  });

  test('ends when the provider refuses, lies, or stays silent for a minute', () => {
    const reasons = [
      judge({ is: 'provider.refused', reason: 'Paused.' }),
      judge({ is: 'provider.created', record: { id: 'x' } }),
      judge({ is: 'clock' }, 60),
    ].map((step) => (step === 'stay' ? null : step.progress));
    expect([reasons, judge({ is: 'clock' }, 59), machine.deadline(terms, creating)]).toEqual([
      [
        { at: 'refused', reason: 'provider-refused', detail: 'Paused.' },
        { at: 'refused', reason: 'record-wrong', detail: expect.stringContaining('cannot be trusted') },
        { at: 'refused', reason: 'provider-silent', detail: null },
      ],
      'stay',
      start + 60,
    ]);
  });
});

test('every state that is not over is watched, and says who is waited for', () => {
  const all = [takeLightningCase, takeArkadeCase].flatMap((of) => {
    const { machine, terms } = of as unknown as { machine: Machine<unknown, { readonly at: string }>; terms: unknown };
    return explore(of as never).states.map((progress: { readonly at: string }) => ({ machine, terms, progress }));
  });
  const wrong = all.filter(
    ({ machine, terms, progress }) =>
      !/^[a-z]+: [a-z-]+$/.test(machine.nextAction(terms, progress)) ||
      (machine.open(terms, progress) && machine.watches(terms, progress).length === 0),
  );
  expect([wrong, all.length > 40]).toEqual([[], true]);
});
