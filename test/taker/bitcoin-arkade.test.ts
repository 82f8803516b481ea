import { locktimeOf } from '../../engine/legs/onchain/locktime.ts';
import { describe, expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import { revealMargin } from '../../engine/legs/timelocks.ts';
import type { Effect, Event } from '../../engine/swap/machine.ts';
import { coinPoint, start, startHeight, clocksAt, txid } from '../swap/cases.ts';
import { explore } from '../swap/explore.ts';
import { representatives, tableOf } from '../swap/table.ts';
import { bitcoin, deal, spend, takeBitcoinCase, takeBitcoinTerms, unlocked, waiting } from './bitcoin-arkade-cases.ts';
import { takeBitcoinArkade, type TakeBitcoinArkadeProgress } from './taken.ts';
import { takenBitcoinArkade } from '../../engine/taker/directions/bitcoin-arkade.ts';

type P = TakeBitcoinArkadeProgress;

function after(...labels: string[]): P {
  return labels.reduce<P>((progress, label) => {
    const telling = takeBitcoinCase.events.find((one) => one.label === label);
    if (telling === undefined) throw new Error(`nothing is called ${label}`);
    const step = takeBitcoinArkade.step(takeBitcoinTerms, progress, telling.event, telling.now);
    if (step === 'stay') throw new Error(`${label} changes nothing at ${progress.at}`);
    return step.progress;
  }, waiting);
}

const table = (...labels: string[]) => tableOf(takeBitcoinCase, after(...labels));

function effectsOf(progress: P, event: Event, now = clocksAt(start + 60)): readonly Effect[] {
  const step = takeBitcoinArkade.step(takeBitcoinTerms, progress, event, now);
  return step === 'stay' ? [] : step.effects;
}

describe('taking from Bitcoin', () => {
  test('what lies at our address decides, whatever the provider says', () => {
    expect(tableOf(takeBitcoinCase, waiting)).toMatchInlineSnapshot(`
      {
        "bitcoin, the locktime is over: claimed and buried": "funded null, FLAG",
        "bitcoin, the locktime is over: mined": "funded null",
        "bitcoin, the locktime is over: nothing": "lapsed",
        "bitcoin, the locktime is over: our refund buried": "done",
        "bitcoin: a forgotten refund buried": "done",
        "bitcoin: claimed and buried": "funded null, FLAG",
        "bitcoin: claimed beside a second coin": "funded null, FLAG",
        "bitcoin: claimed in a mempool": "funded null, FLAG",
        "bitcoin: dust": "waiting",
        "bitcoin: in a mempool": "funded null",
        "bitcoin: mined": "funded null",
        "bitcoin: our refund buried": "done",
        "bitcoin: our refund in a mempool": "funded null",
        "bitcoin: paid twice": "funded null",
        "bitcoin: spent by nobody knows what": "funded null",
        "lock: claimed by an earlier life of ours": "claimed",
        "lock: claimed by us": "claimed",
        "lock: expired": "waiting",
        "lock: gone without a reason": "waiting",
        "lock: no time left": "waiting",
        "lock: on the chain": "waiting",
        "lock: short by one": "waiting",
        "lock: taken back": "waiting",
        "lock: whole": "claiming, vhtlc.claim, supersedes",
        "lock: whole, clock unread": "waiting",
        "provider: serverfunded": "waiting",
        "provider: serverwontfund": "waiting",
      }
    `);
  });

  test('the provider is waited for once our coin has the confirmations that it asks for', () => {
    const asks = { ...waiting, deal: { ...deal, source: { ...deal.source, confirmations: 3 } } } as P & {
      at: 'waiting';
    };
    const turns = [null, startHeight, startHeight - 1, startHeight - 2].map((height) => {
      const event: Event = {
        is: 'htlc.seen',
        coins: [bitcoin({ height })],
        height: startHeight,
        mtp: unix(start),
        asked: unix(start),
      };
      const step = takeBitcoinArkade.step(takeBitcoinTerms, asks, event, clocksAt(start + 60));
      if (step === 'stay') throw new Error('the coin changes nothing');
      const { who, step: turn } = takenBitcoinArkade.steps(step.progress, takeBitcoinTerms).turn;
      return [who, turn];
    });
    expect(turns).toEqual([
      ['nobody', 'confirm'],
      ['nobody', 'confirm'],
      ['nobody', 'confirm'],
      ['provider', 'lock'],
    ]);
  });

  test('a lock is claimed when it is whole and in time, and the secret is given away for nothing else', () => {
    expect(table('bitcoin: mined')).toMatchInlineSnapshot(`
      {
        "bitcoin, the locktime is over: claimed and buried": "funded null, FLAG",
        "bitcoin, the locktime is over: nothing": "waiting",
        "bitcoin, the locktime is over: our refund buried": "done",
        "bitcoin: a forgotten refund buried": "done",
        "bitcoin: claimed and buried": "funded null, FLAG",
        "bitcoin: claimed beside a second coin": "funded null, FLAG",
        "bitcoin: claimed in a mempool": "funded null, FLAG",
        "bitcoin: in a mempool": "funded null",
        "bitcoin: nothing": "waiting",
        "bitcoin: our refund buried": "done",
        "bitcoin: our refund in a mempool": "funded null",
        "bitcoin: paid twice": "funded null",
        "clock, the locktime": "refunding, htlc.spend refund",
        "lock: claimed by an earlier life of ours": "claimed",
        "lock: claimed by us": "claimed",
        "lock: expired": "funded The coin is past its expiry: its timelocks protect nobody.",
        "lock: gone without a reason": "funded The coin is already spent.",
        "lock: no time left": "funded The refund may open in 0 seconds; a claim needs 3600.",
        "lock: on the chain": "funded The coin has left the operator for the chain.",
        "lock: short by one": "funded The coin holds 99999 sats; 100000 were agreed.",
        "lock: taken back": "funded The coin is already spent.",
        "lock: whole": "claiming, vhtlc.claim, supersedes",
        "lock: whole, clock unread": "funded The Bitcoin clock has not been read yet.",
        "provider: serverfunded": "funded null",
        "provider: serverwontfund": "funded null",
        "the owner wants it back, the locktime is over": "refunding, htlc.spend refund",
      }
    `);
  });

  test('a claim goes on until the coin has its end, and back to waiting where it was not sent', () => {
    expect(table('bitcoin: mined', 'lock: whole')).toMatchInlineSnapshot(`
      {
        "bitcoin, the locktime is over: claimed and buried": "claiming",
        "bitcoin, the locktime is over: nothing": "claiming",
        "bitcoin, the locktime is over: our refund buried": "claiming",
        "bitcoin: a forgotten refund buried": "claiming",
        "bitcoin: claimed and buried": "claiming",
        "bitcoin: claimed beside a second coin": "claiming",
        "bitcoin: claimed in a mempool": "claiming",
        "bitcoin: in a mempool": "claiming",
        "bitcoin: nothing": "claiming",
        "bitcoin: our refund buried": "claiming",
        "bitcoin: our refund in a mempool": "claiming",
        "bitcoin: paid twice": "claiming",
        "claim accepted": "claiming, vhtlc.finalize claim",
        "claim final": "claimed",
        "claim prepared": "claiming, vhtlc.submit claim",
        "claim refused: late": "funded the operator says no",
        "claim refused: recoverable": "claiming, vhtlc.settle claim",
        "claim refused: refused": "claiming, vhtlc.claim, FLAG",
        "claim refused: spent": "claiming",
        "claim refused: unrolled": "claiming exit, vhtlc.exit claim",
        "lock: claimed by an earlier life of ours": "claimed, supersedes",
        "lock: claimed by us": "claimed, supersedes",
        "lock: gone without a reason": "claiming, FLAG, DISTRUST",
        "lock: taken back": "lost, supersedes, FLAG",
        "provider: serverfunded": "claiming",
        "provider: serverwontfund": "claiming",
      }
    `);
  });

  test('once the VHTLC is ours one coin is the provider’s, and the others come back after the locktime', () => {
    expect([
      table('bitcoin: mined', 'lock: whole', 'claim final'),
      table('bitcoin: paid twice', 'lock: whole', 'claim final'),
    ]).toMatchInlineSnapshot(`
      [
        {
          "bitcoin, the locktime is over: claimed and buried": "claimed",
          "bitcoin, the locktime is over: mined": "claimed",
          "bitcoin, the locktime is over: nothing": "claimed",
          "bitcoin, the locktime is over: our refund buried": "claimed",
          "bitcoin: a forgotten refund buried": "claimed",
          "bitcoin: claimed and buried": "claimed",
          "bitcoin: claimed beside a second coin": "claimed",
          "bitcoin: claimed in a mempool": "claimed",
          "bitcoin: in a mempool": "claimed",
          "bitcoin: nothing": "claimed",
          "bitcoin: our refund buried": "claimed",
          "bitcoin: our refund in a mempool": "claimed",
          "bitcoin: paid twice": "claimed",
          "provider: serverfunded": "claimed",
          "provider: serverwontfund": "claimed",
        },
        {
          "bitcoin, the locktime is over: claimed and buried": "claimed",
          "bitcoin, the locktime is over: mined": "claimed",
          "bitcoin, the locktime is over: nothing": "claimed",
          "bitcoin, the locktime is over: our refund buried": "claimed",
          "bitcoin: a forgotten refund buried": "claimed",
          "bitcoin: claimed and buried": "claimed",
          "bitcoin: claimed beside a second coin": "claimed",
          "bitcoin: claimed in a mempool": "claimed",
          "bitcoin: dust": "claimed",
          "bitcoin: in a mempool": "claimed",
          "bitcoin: mined": "claimed",
          "bitcoin: nothing": "claimed",
          "bitcoin: our refund buried": "claimed",
          "bitcoin: our refund in a mempool": "claimed",
          "bitcoin: spent by nobody knows what": "claimed",
          "clock, the locktime": "refunding, htlc.spend refund",
          "provider: serverfunded": "claimed",
          "provider: serverwontfund": "claimed",
          "the owner wants it back, the locktime is over": "refunding, htlc.spend refund",
        },
      ]
    `);
  });

  test('a refund is raised, finished, and looked at again where something else has the coin', () => {
    expect(table('bitcoin: mined', 'clock, the locktime', 'refund on the chain prepared')).toMatchInlineSnapshot(`
      {
        "bitcoin, the locktime is over: claimed and buried": "funded null, supersedes",
        "bitcoin, the locktime is over: nothing": "refunding",
        "bitcoin, the locktime is over: our refund buried": "refunding",
        "bitcoin: a forgotten refund buried": "done, supersedes",
        "bitcoin: claimed and buried": "funded null, supersedes",
        "bitcoin: claimed beside a second coin": "funded null, supersedes",
        "bitcoin: claimed in a mempool": "refunding",
        "bitcoin: in a mempool": "refunding",
        "bitcoin: nothing": "refunding",
        "bitcoin: our refund buried": "refunding",
        "bitcoin: our refund in a mempool": "refunding",
        "bitcoin: paid twice": "refunding",
        "provider: serverfunded": "refunding",
        "provider: serverwontfund": "refunding",
        "refund on the chain final": "done",
        "refund on the chain prepared": "refunding, onchain.broadcast",
        "refund on the chain refused: refused": "refunding, htlc.spend refund, FLAG",
        "refund on the chain refused: spent": "refunding",
        "refund on the chain stuck": "refunding, htlc.spend refund",
      }
    `);
  });

  test('a refund that was called spent is found by the watch', () => {
    expect(
      table(
        'bitcoin: mined',
        'clock, the locktime',
        'refund on the chain prepared',
        'refund on the chain refused: spent',
      ),
    ).toMatchInlineSnapshot(`
      {
        "bitcoin, the locktime is over: claimed and buried": "funded null, supersedes",
        "bitcoin, the locktime is over: mined": "refunding, htlc.spend refund",
        "bitcoin, the locktime is over: nothing": "refunding",
        "bitcoin, the locktime is over: our refund buried": "done, supersedes",
        "bitcoin: a forgotten refund buried": "done, supersedes",
        "bitcoin: claimed and buried": "funded null, supersedes",
        "bitcoin: claimed beside a second coin": "funded null, supersedes",
        "bitcoin: claimed in a mempool": "refunding, htlc.spend refund",
        "bitcoin: dust": "refunding, htlc.spend refund",
        "bitcoin: in a mempool": "refunding, htlc.spend refund",
        "bitcoin: mined": "refunding, htlc.spend refund",
        "bitcoin: nothing": "refunding",
        "bitcoin: our refund buried": "done, supersedes",
        "bitcoin: our refund in a mempool": "refunding, htlc.spend refund",
        "bitcoin: paid twice": "refunding, htlc.spend refund",
        "bitcoin: spent by nobody knows what": "refunding, htlc.spend refund",
        "provider: serverfunded": "refunding",
        "provider: serverwontfund": "refunding",
        "refund on the chain final": "done",
        "refund on the chain prepared": "refunding, onchain.broadcast",
        "refund on the chain refused: refused": "refunding, htlc.spend refund, FLAG",
        "refund on the chain stuck": "refunding, htlc.spend refund",
      }
    `);
  });

  test('a claim that the provider beat is lost, and what lies there is taken back in a hurry', () => {
    expect(table('bitcoin: mined', 'lock: whole', 'lock: taken back')).toMatchInlineSnapshot(`
      {
        "bitcoin, the locktime is over: claimed and buried": "lost",
        "bitcoin, the locktime is over: nothing": "lost",
        "bitcoin, the locktime is over: our refund buried": "lost",
        "bitcoin: a forgotten refund buried": "lost",
        "bitcoin: claimed and buried": "lost",
        "bitcoin: claimed beside a second coin": "lost",
        "bitcoin: claimed in a mempool": "lost",
        "bitcoin: in a mempool": "lost",
        "bitcoin: nothing": "lost",
        "bitcoin: our refund buried": "lost",
        "bitcoin: our refund in a mempool": "lost",
        "bitcoin: paid twice": "lost",
        "clock, the locktime": "refunding, htlc.spend refund",
        "provider: serverfunded": "lost",
        "provider: serverwontfund": "lost",
        "the owner wants it back, the locktime is over": "refunding, htlc.spend refund",
      }
    `);
    const lost = after('bitcoin: mined', 'lock: whole', 'lock: taken back');
    expect(effectsOf(lost, { is: 'clock' }, unlocked)).toMatchObject([
      { do: 'htlc.spend', purpose: 'refund', deadline: locktimeOf(deal.source.htlc) },
    ]);
  });

  test('a provider that has our secret already leaves no time to lose', () => {
    expect(table('bitcoin: claimed in a mempool')).toMatchInlineSnapshot(`
      {
        "bitcoin, the locktime is over: claimed and buried": "funded null",
        "bitcoin, the locktime is over: mined": "funded null",
        "bitcoin, the locktime is over: nothing": "waiting",
        "bitcoin, the locktime is over: our refund buried": "done",
        "bitcoin: a forgotten refund buried": "done",
        "bitcoin: claimed and buried": "funded null",
        "bitcoin: claimed beside a second coin": "funded null",
        "bitcoin: dust": "waiting",
        "bitcoin: in a mempool": "funded null",
        "bitcoin: mined": "funded null",
        "bitcoin: nothing": "waiting",
        "bitcoin: our refund buried": "done",
        "bitcoin: our refund in a mempool": "funded null",
        "bitcoin: paid twice": "funded null",
        "bitcoin: spent by nobody knows what": "funded null",
        "lock: claimed by an earlier life of ours": "claimed",
        "lock: claimed by us": "claimed",
        "lock: expired": "claiming, vhtlc.claim, supersedes",
        "lock: gone without a reason": "funded The coin is already spent.",
        "lock: no time left": "claiming, vhtlc.claim, supersedes",
        "lock: on the chain": "claiming, vhtlc.claim, supersedes",
        "lock: our bitcoin is ours again": "claiming, vhtlc.claim, supersedes",
        "lock: short by one": "claiming, vhtlc.claim, supersedes",
        "lock: taken back": "funded The coin is already spent.",
        "lock: whole": "claiming, vhtlc.claim, supersedes",
        "lock: whole, clock unread": "claiming, vhtlc.claim, supersedes",
        "provider: serverfunded": "funded null",
        "provider: serverwontfund": "funded null",
      }
    `);
    const claiming = after('bitcoin: claimed in a mempool', 'lock: no time left');
    expect(
      effectsOf(claiming, { is: 'vhtlc.prepared', purpose: 'claim', txid: txid.claim, output: coinPoint }),
    ).toEqual([{ do: 'vhtlc.submit', purpose: 'claim', txid: txid.claim, coin: coinPoint }]);
  });

  test('a claim is judged once more when it is sent', () => {
    const claiming = after('bitcoin: mined', 'lock: whole');
    const { vhtlc, script, amount: targetAmount } = deal.target;
    const { refundLocktime } = vhtlc;
    const { policy } = takeBitcoinTerms;
    expect(
      effectsOf(claiming, { is: 'vhtlc.prepared', purpose: 'claim', txid: txid.claim, output: coinPoint }),
    ).toEqual([
      {
        do: 'vhtlc.submit',
        coin: coinPoint,
        purpose: 'claim',
        txid: txid.claim,
        onlyIf: {
          notAfter: refundLocktime - revealMargin(policy),
          reveal: { script, outpoint: coinPoint, targetAmount, refundLocktime, policy },
          ownRefund: { clock: 'bitcoin', from: locktimeOf(deal.source.htlc) },
        },
      },
    ]);
  });

  test('a refund that nobody races has a day of cheap blocks, anew at each raise', () => {
    const refunding = after('bitcoin: mined', 'clock, the locktime', 'refund on the chain prepared');
    const later = clocksAt(unlocked.wall + 5 * 86_400);
    expect(
      effectsOf(refunding, { is: 'onchain.stuck', leg: 'bitcoin', txid: txid.refund, leastRate: 9 }, later),
    ).toEqual([
      {
        do: 'htlc.spend',
        purpose: 'refund',
        terms: deal.source.htlc,
        script: deal.source.script,
        key: { branch: 'taker', index: 5 },
        coin: bitcoin().outpoint,
        leastRate: 9,
        deadline: unix(later.wall - 1_800 + 86_400),
      },
    ]);
  });

  test('nothing moves a swap that is over', () => {
    const over = [
      after('bitcoin, the locktime is over: nothing'),
      after('bitcoin: mined', 'lock: whole', 'claim final', 'bitcoin, the locktime is over: mined'),
      after('bitcoin: our refund buried', 'bitcoin, the locktime is over: our refund buried'),
    ];
    expect(over.map((progress) => [progress.at, takeBitcoinArkade.open(takeBitcoinTerms, progress)])).toEqual([
      ['lapsed', false],
      ['claimed', false],
      ['done', false],
    ]);
  });

  test('every open state is watched or has a deadline, and every state has a status and a turn', () => {
    const { states } = explore(takeBitcoinCase);
    const idle = states.filter(
      (progress) =>
        takeBitcoinArkade.open(takeBitcoinTerms, progress) &&
        takeBitcoinArkade.watches(takeBitcoinTerms, progress).length === 0 &&
        takeBitcoinArkade.deadline(takeBitcoinTerms, progress) === null,
    );
    expect(idle).toEqual([]);
    expect(
      [...representatives(takeBitcoinCase)].map(([name, p]) => [
        name,
        takeBitcoinArkade.status(p),
        takeBitcoinArkade.nextAction(takeBitcoinTerms, p),
      ]),
    ).toMatchInlineSnapshot(`
      [
        [
          "waiting",
          "pending",
          "you: pay",
        ],
        [
          "funded null",
          "clientfundingseen",
          "nobody: confirm",
        ],
        [
          "done",
          "clientrefunded",
          "nobody: returned",
        ],
        [
          "lapsed",
          "expired",
          "nobody: closed",
        ],
        [
          "claiming",
          "clientredeeming",
          "node: claim",
        ],
        [
          "claimed",
          "clientredeemed",
          "nobody: finished",
        ],
        [
          "funded The Bitcoin clock has not been read yet.",
          "clientfundingseen",
          "nobody: await-refund",
        ],
        [
          "funded The coin holds 99999 sats; 100000 were agreed.",
          "clientfundingseen",
          "nobody: await-refund",
        ],
        [
          "funded The coin is past its expiry: its timelocks protect nobody.",
          "clientfundingseen",
          "nobody: await-refund",
        ],
        [
          "funded The coin has left the operator for the chain.",
          "clientfundingseen",
          "nobody: await-refund",
        ],
        [
          "funded The refund may open in 0 seconds; a claim needs 3600.",
          "clientfundingseen",
          "nobody: await-refund",
        ],
        [
          "funded The coin is already spent.",
          "clientfundingseen",
          "nobody: await-refund",
        ],
        [
          "refunding",
          "clientfunded",
          "node: refund",
        ],
        [
          "lost",
          "clientfundedserverrefunded",
          "nobody: closed",
        ],
        [
          "claiming exit",
          "clientredeeming",
          "node: claim",
        ],
        [
          "funded the operator says no",
          "clientfundingseen",
          "nobody: await-refund",
        ],
      ]
    `);
  });

  test('what is saved is read back as it was', () => {
    const { shape } = takeBitcoinArkade;
    const { states } = explore(takeBitcoinCase);
    expect(states.map((progress) => shape.progress.read(progress, shape.progress.version))).toEqual(states);
    expect(shape.terms.read(takeBitcoinTerms, shape.terms.version)).toEqual(takeBitcoinTerms);
  });

  test('the create asks for what is to arrive, with one key for both legs', () => {
    expect(takenBitcoinArkade.effects(takeBitcoinTerms)).toMatchObject([
      {
        do: 'provider.create',
        order: {
          direction: 'bitcoin-arkade',
          keyIndex: 5,
          body: {
            arkade_htlc_script_version: 1,
            btc_htlc_script_version: 1,
            sats_receive: 100_000,
            target_arkade_address: 'tark1ours',
            hash_lock: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
          },
        },
      },
    ]);
  });

  test('a coin whose refund waits in a mempool and was forgotten is refunded again by us', () => {
    const restored = after('bitcoin: our refund in a mempool');
    expect([restored.at, effectsOf(restored, { is: 'clock' }, unlocked).map((one) => one.do)]).toEqual([
      'funded',
      ['htlc.spend'],
    ]);
    expect(spend.refund(null).height).toBe(null);
  });
});

test('fault 127, bitcoin: dust at our HTLC does not end the search for what the provider took', () => {
  const dust = bitcoin({ amount: sats(330n) });
  const event: Event = { is: 'htlc.seen', coins: [dust], height: startHeight, mtp: unix(start), asked: unix(start) };
  const step = takeBitcoinArkade.step(takeBitcoinTerms, waiting, event, clocksAt(start));
  const progress = step === 'stay' ? waiting : step.progress;
  expect([progress.at, takeBitcoinArkade.watches(takeBitcoinTerms, progress)[0]]).toMatchObject([
    'waiting',
    { on: 'htlc', past: true },
  ]);
});
