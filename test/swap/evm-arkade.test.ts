import { describe, expect, test } from 'vitest';
import { toHex } from '../../engine/domain/hex.ts';
import { day, after as later, unix } from '../../engine/domain/time.ts';
import { safeToFundForLock } from '../../engine/legs/safety/lock.ts';
import { viewEvmArkade, type EvmArkadeProgress } from '../../engine/swap/directions/evm-arkade.ts';
import type { Event, SwapStep } from '../../engine/swap/machine.ts';
import { clocksAt, coin, coinPoint, preimage, spentBy, start, txid } from './cases.ts';
import { atTheLine, calledOf, evmArkadeCase, evmArkadeTerms as t, fresh } from './evm-arkade-cases.ts';
import {
  account,
  askRefund,
  evmClocksAt,
  lookAt,
  network,
  redeemed,
  refunded,
  seenLock,
  sentTxid,
} from './evm-lightning-cases.ts';
import { explore } from './explore.ts';
import { movesTo, nameOf } from './table.ts';

/** Every state that can be reached, by its name and by what is known of a claim beside our refund. */
const names = [
  'claimed',
  'claimed bothLegs',
  'claimed racing',
  'claimed racing asked',
  'claimed racing bothLegs',
  'claimed racing bothLegs asked',
  'claimed refund asked',
  'claimed refund asked bothLegs',
  'claimed refund asked racing',
  'claimed refund asked racing asked',
  'claimed refund asked racing bothLegs',
  'claimed refund asked racing bothLegs asked',
  'claimed refund sent',
  'claimed refund sent bothLegs',
  'claimed refund sent racing',
  'claimed refund sent racing asked',
  'claimed refund sent racing bothLegs',
  'claimed refund sent racing bothLegs asked',
  'claiming',
  'claiming bothLegs',
  'claiming gone',
  'claiming gone bothLegs',
  'claiming gone racing',
  'claiming gone racing asked',
  'claiming gone racing bothLegs',
  'claiming gone racing bothLegs asked',
  'claiming racing',
  'claiming racing asked',
  'claiming racing bothLegs',
  'claiming racing bothLegs asked',
  'funded',
  'funded gone',
  'lapsed',
  'locked',
  'locked gone',
  'locking',
  'locking gone',
  'lost',
  'lost bothLegs',
  'lost exit',
  'lost exit bothLegs',
  'lost exit racing',
  'lost exit racing asked',
  'lost exit racing bothLegs',
  'lost exit racing bothLegs asked',
  'lost exit refund asked',
  'lost exit refund asked bothLegs',
  'lost exit refund asked racing',
  'lost exit refund asked racing asked',
  'lost exit refund asked racing bothLegs',
  'lost exit refund asked racing bothLegs asked',
  'lost exit refund sent',
  'lost exit refund sent bothLegs',
  'lost exit refund sent racing',
  'lost exit refund sent racing asked',
  'lost exit refund sent racing bothLegs',
  'lost exit refund sent racing bothLegs asked',
  'lost racing',
  'lost racing asked',
  'lost racing bothLegs',
  'lost racing bothLegs asked',
  'lost refund asked',
  'lost refund asked bothLegs',
  'lost refund asked racing',
  'lost refund asked racing asked',
  'lost refund asked racing bothLegs',
  'lost refund asked racing bothLegs asked',
  'lost refund sent',
  'lost refund sent bothLegs',
  'lost refund sent racing',
  'lost refund sent racing asked',
  'lost refund sent racing bothLegs',
  'lost refund sent racing bothLegs asked',
  'pending',
  'pending relay asked',
  'pending relay mined',
  'pending relay sent',
  'pending vanished',
  'pending vanished relay asked',
  'pending vanished relay mined',
  'pending vanished relay sent',
  'refunded',
  'refunded refund asked',
  'refunded refund sent',
  'refunding',
  'refunding alarmed',
  'refunding alarmed gone',
  'refunding alarmed gone told',
  'refunding alarmed told',
  'refunding exit',
  'refunding exit alarmed',
  'refunding exit alarmed gone',
  'refunding exit alarmed gone told',
  'refunding exit alarmed told',
  'refunding exit gone',
  'refunding exit gone told',
  'refunding exit told',
  'refunding gone',
  'refunding gone told',
  'refunding told',
  'returned',
  'returned fenced',
  'returned refund asked fenced',
  'returned refund sent fenced',
  'seen',
  'seen relay asked',
  'seen relay mined',
  'seen relay sent',
  'seen vanished',
  'seen vanished relay asked',
  'seen vanished relay mined',
  'seen vanished relay sent',
  'stopped expired',
  'stopped invalid',
  'stopped late',
  'stopped late fenced',
  'stopped late refund asked fenced',
  'stopped late refund sent fenced',
  'stopped wont',
  'stopped wont fenced',
  'stopped wont refund asked fenced',
  'stopped wont refund sent fenced',
];

/** What is listed beside the swap's own lock is told of in the cases of evm-bitcoin. */
const ownLock = new Set(['evm.seen nothing', 'evm.seen claimed', 'evm.seen refunded']);

/** Every event that moves a state while our VHTLC is out, asked for or just over; others leave the state alone. */
const moves: Record<string, Record<string, string>> = {
  funded: {
    'vhtlc.prepared lock': 'locking, vhtlc.submit lock',
    'vhtlc.refused lock spent': 'stopped wont +1, supersedes',
    'vhtlc.refused lock recoverable': 'stopped wont +1, supersedes',
    'vhtlc.refused lock unrolled': 'stopped wont +1, supersedes',
    'vhtlc.refused lock late': 'stopped wont +1, supersedes',
    'vhtlc.refused lock refused': 'stopped wont +1, supersedes',
    'vhtlc.seen of our amount': 'locked, supersedes',
    'vhtlc.prepared lock, too late': 'stopped wont +1, supersedes',
    'clock, too late to lock': 'stopped wont +1, supersedes',
    'clock, locktime passed by wall time only': 'stopped wont +1, supersedes',
    'clock, median time past at the locktime': 'stopped wont +1, supersedes',
    'clock, locktime passed': 'stopped wont +1, supersedes',
    'clock, at the line': 'stopped wont +1, supersedes',
    "clock, the client's refund opens": 'stopped wont +1, supersedes',
    "clock, a day after the client's refund opened": 'stopped wont +1, supersedes',
    'evm.seen nothing': 'funded gone, FLAG',
    'clock, timelock passed by the wall and Bitcoin alone': 'stopped wont +1, supersedes',
    'clock, timelock passed': 'stopped wont +1, supersedes',
    'clock, a day after the timelock': 'stopped wont +1, supersedes',
    'clock, the lock is about to open': 'stopped wont +1, supersedes',
  },
  locking: {
    'vhtlc.accepted lock': 'locking, vhtlc.finalize lock',
    'vhtlc.final lock': 'locked',
    'vhtlc.refused lock spent': 'funded, vhtlc.lock',
    'vhtlc.refused lock recoverable': 'stopped wont +1, supersedes',
    'vhtlc.refused lock unrolled': 'funded, vhtlc.lock',
    'vhtlc.refused lock late': 'stopped wont +1, supersedes',
    'vhtlc.refused lock refused': 'stopped wont +1, supersedes',
    'vhtlc.seen claimed by the client': 'claiming, evm.send, supersedes, learns',
    'vhtlc.seen claimed in a batch': 'claiming, evm.send, supersedes, learns',
    'vhtlc.seen claimed in a queue': 'claiming, evm.send, supersedes, learns',
    'vhtlc.seen claimed in a mempool': 'claiming, evm.send, supersedes, learns',
    'vhtlc.seen claimed on the chain': 'claiming, evm.send, supersedes, learns',
    'vhtlc.seen claimed in a queue, at the line': 'claiming, evm.send, supersedes, learns',
    'claim.relayed our coin': 'claiming, evm.send, supersedes, learns',
    'claim.relayed our coin, which a batch had before': 'claiming, evm.send, supersedes, learns',
    'evm.seen nothing': 'locking gone, FLAG',
    'vhtlc.seen claimed in a queue, the lock about to open': 'claiming, evm.send, supersedes, learns',
    'vhtlc.seen claimed in a mempool, the lock about to open': 'claiming, evm.send, supersedes, learns',
  },
  locked: {
    'vhtlc.seen claimed by the client': 'claiming, evm.send, supersedes, learns',
    'vhtlc.seen claimed in a batch': 'claiming, evm.send, supersedes, learns',
    'vhtlc.seen spent by no leaf': 'locked, FLAG, DISTRUST',
    'vhtlc.seen on the chain': 'locked, FLAG',
    'vhtlc.seen on the chain, spent by no leaf': 'locked, FLAG, DISTRUST',
    'vhtlc.seen taken by a batch that hides its leaf': 'locked, FLAG',
    'vhtlc.seen claimed in a queue': 'claiming, evm.send, supersedes, learns',
    'vhtlc.seen claimed in a mempool': 'claiming, evm.send, supersedes, learns',
    'vhtlc.seen claimed on the chain': 'claiming, evm.send, supersedes, learns',
    'vhtlc.seen refunded on the chain': 'locked, FLAG',
    'vhtlc.seen claimed in a queue, at the line': 'claiming, evm.send, supersedes, learns',
    'claim.relayed our coin': 'claiming, evm.send, supersedes, learns',
    'claim.relayed our coin, which a batch had before': 'claiming, evm.send, supersedes, learns',
    'clock, locktime passed': 'refunding, vhtlc.refund',
    'clock, at the line': 'refunding, vhtlc.refund',
    "clock, the client's refund opens": 'refunding, vhtlc.refund',
    "clock, a day after the client's refund opened": 'refunding, vhtlc.refund',
    'evm.seen nothing': 'locked gone, FLAG',
    'clock, timelock passed by the wall and Bitcoin alone': 'refunding, vhtlc.refund',
    'clock, timelock passed': 'refunding, vhtlc.refund',
    'clock, a day after the timelock': 'refunding, vhtlc.refund',
    'clock, the lock is about to open': 'refunding, vhtlc.refund',
    'vhtlc.seen claimed in a queue, the lock about to open': 'claiming, evm.send, supersedes, learns',
    'vhtlc.seen claimed in a mempool, the lock about to open': 'claiming, evm.send, supersedes, learns',
    'vhtlc.seen taken by a batch that hides its leaf, the lock about to open': 'locked, FLAG',
  },
  refunding: {
    'vhtlc.prepared refund': 'refunding, vhtlc.submit refund',
    'vhtlc.accepted refund': 'refunding, vhtlc.finalize refund',
    'vhtlc.final refund': 'returned +1',
    'vhtlc.refused refund spent': 'refunding',
    'vhtlc.refused refund recoverable': 'refunding, vhtlc.settle refund',
    'vhtlc.refused refund unrolled': 'refunding exit, vhtlc.exit refund',
    'vhtlc.refused refund late': 'refunding, vhtlc.refund, FLAG',
    'vhtlc.refused refund refused': 'refunding, vhtlc.refund, FLAG',
    'vhtlc.seen claimed by the client': 'claiming, evm.send, supersedes, learns',
    'vhtlc.seen claimed in a batch': 'claiming, evm.send, supersedes, learns',
    'vhtlc.seen refunded': 'returned +1',
    'vhtlc.seen spent by no leaf': 'refunding, FLAG, DISTRUST',
    'vhtlc.seen on the chain, spent by no leaf': 'refunding exit, vhtlc.exit refund, FLAG, DISTRUST',
    'vhtlc.seen claimed in a queue': 'refunding told, learns',
    'vhtlc.seen claimed in a mempool': 'refunding told, learns',
    'vhtlc.seen claimed on the chain': 'claiming, evm.send, supersedes, learns',
    'vhtlc.seen refunded on the chain': 'returned +1',
    'vhtlc.seen claimed in a queue, at the line': 'refunding told, learns',
    'claim.relayed our coin': 'claiming, evm.send, supersedes, learns',
    'claim.relayed our coin, which a batch had before': 'refunding told, vhtlc.settle refund, learns',
    'evm.seen nothing': 'refunding gone, FLAG',
    'clock, timelock passed': 'refunding alarmed, FLAG',
    'clock, a day after the timelock': 'refunding alarmed, FLAG',
    'clock, the lock is about to open': 'refunding alarmed, FLAG',
    'vhtlc.seen claimed in a queue, the lock about to open': 'claiming racing, evm.send, supersedes, learns',
    'vhtlc.seen claimed in a mempool, the lock about to open': 'claiming racing, evm.send, supersedes, learns',
    'vhtlc.seen taken by a batch that hides its leaf, the lock about to open': 'refunding alarmed, FLAG',
  },
  'refunding told': {
    'vhtlc.prepared refund': 'refunding told, vhtlc.submit refund',
    'vhtlc.accepted refund': 'refunding told, vhtlc.finalize refund',
    'vhtlc.final refund': 'returned +1',
    'vhtlc.refused refund spent': 'refunding told',
    'vhtlc.refused refund recoverable': 'refunding told, vhtlc.settle refund',
    'vhtlc.refused refund unrolled': 'refunding exit told, vhtlc.exit refund',
    'vhtlc.refused refund late': 'refunding told, vhtlc.refund, FLAG',
    'vhtlc.refused refund refused': 'refunding told, vhtlc.refund, FLAG',
    'vhtlc.seen claimed by the client': 'claiming, evm.send, supersedes, learns',
    'vhtlc.seen claimed in a batch': 'claiming, evm.send, supersedes, learns',
    'vhtlc.seen refunded': 'returned +1',
    'vhtlc.seen spent by no leaf': 'refunding told, FLAG, DISTRUST',
    'vhtlc.seen on the chain, spent by no leaf': 'refunding exit told, vhtlc.exit refund, FLAG, DISTRUST',
    'vhtlc.seen claimed in a mempool': 'refunding exit told, vhtlc.exit refund',
    'vhtlc.seen claimed on the chain': 'claiming, evm.send, supersedes, learns',
    'vhtlc.seen refunded on the chain': 'returned +1',
    'claim.relayed our coin': 'claiming, evm.send, supersedes, learns',
    'evm.seen nothing': 'refunding gone told, FLAG',
    'clock, timelock passed': 'claiming racing, evm.send, supersedes',
    'clock, a day after the timelock': 'claiming racing, evm.send, supersedes',
    'clock, the lock is about to open': 'claiming racing, evm.send, supersedes',
    'vhtlc.seen claimed in a queue, the lock about to open': 'claiming racing, evm.send, supersedes, learns',
    'vhtlc.seen claimed in a mempool, the lock about to open': 'claiming racing, evm.send, supersedes, learns',
    'vhtlc.seen taken by a batch that hides its leaf, the lock about to open':
      'claiming racing asked, evm.send, vhtlc.settle refund, supersedes',
  },
  claiming: {
    'evm.prepared claim': 'claiming',
    'vhtlc.final refund': 'claiming bothLegs, FLAG',
    'onchain.final of our refund': 'claiming bothLegs, FLAG',
    'evm.seen nothing': 'claiming gone, FLAG',
    'evm.seen claimed': 'claimed, supersedes, books',
    'evm.seen refunded': 'lost racing, supersedes, books, FLAG',
  },
  'claiming racing': {
    'evm.prepared claim': 'claiming racing',
    'vhtlc.accepted refund': 'claiming racing, vhtlc.finalize refund',
    'vhtlc.final refund': 'claiming bothLegs, FLAG',
    'onchain.final of our refund': 'claiming bothLegs, FLAG',
    'vhtlc.seen claimed by the client': 'claiming',
    'vhtlc.seen claimed in a batch': 'claiming',
    'vhtlc.seen claimed with a wrong secret': 'claiming',
    'vhtlc.seen refunded': 'claiming racing bothLegs, vhtlc.refund, FLAG',
    'vhtlc.seen taken by a batch that hides its leaf': 'claiming racing asked, vhtlc.settle refund',
    'vhtlc.seen claimed on the chain': 'claiming',
    'vhtlc.seen refunded on the chain': 'claiming bothLegs, FLAG',
    'claim.relayed our coin': 'claiming',
    'evm.seen nothing': 'claiming gone racing, FLAG',
    'evm.seen claimed': 'claimed racing, supersedes, books',
    'evm.seen refunded': 'lost racing, supersedes, books, FLAG',
    'vhtlc.seen taken by a batch that hides its leaf, the lock about to open':
      'claiming racing asked, vhtlc.settle refund',
  },
  returned: {
    'evm.seen nothing': 'returned',
    'evm.seen claimed': 'refunded +1',
    'evm.seen refunded': 'refunded +1',
    'evm-refund.requested of the right lock': 'returned refund asked fenced +1, evm.send',
    'clock, a day after the timelock': 'returned +1',
  },
};

const { machine } = evmArkadeCase;
const everything = explore(evmArkadeCase);
const states = new Map<string, EvmArkadeProgress>();
for (const p of everything.states) if (!states.has(calledOf(p))) states.set(calledOf(p), p);
const timelock = unix(Number(t.lock.timelock));
const locktime = t.vhtlc.refundLocktime;

function state(name: string): EvmArkadeProgress {
  const progress = states.get(name);
  if (progress === undefined) throw new Error(`no state is called ${name}`);
  return progress;
}

function step(p: EvmArkadeProgress, event: Event, now = evmClocksAt(start + 60)): SwapStep<EvmArkadeProgress> {
  const next = machine.step(t, p, event, now);
  if (next === 'stay') throw new Error(`${event.is} does not move ${calledOf(p)}`);
  return next;
}

const after = (name: string, event: Event, now = evmClocksAt(start + 60)) => step(state(name), event, now);
const look = (...coins: ReturnType<typeof coin>[]): Event => ({ is: 'vhtlc.seen', coins });

test('these states can be reached and no others', () => {
  expect([...states.keys()].sort()).toEqual(names);
});

test.each(Object.entries(moves))('%s moves on these events alone', (name, expected) => {
  const table: Record<string, string> = {};
  for (const { label, event, now } of evmArkadeCase.events) {
    const next = machine.step(t, state(name), event, now);
    if (next === 'stay' || (label.startsWith('evm.seen') && !ownLock.has(label))) continue;
    table[label] = movesTo(next).replace(nameOf(next.progress), calledOf(next.progress));
  }
  expect(table).toEqual(expected);
});

test('each state has its wire status, its watches, its deadline and its promise of liquidity', () => {
  const facts = [
    ...Object.keys(moves),
    'claimed',
    'claimed racing',
    'lost racing',
    'stopped wont',
    'refunded',
    'lapsed',
  ].map((name) => {
    const p = state(name);
    const watched = machine
      .watches(t, p)
      .map((watch) => ('purpose' in watch ? watch.purpose : watch.on))
      .join(' ');
    const open = machine.open(t, p) ? 'open' : 'ended';
    return [name, machine.status(p), watched, machine.deadline(t, p), open, machine.reserves(p) ? 'reserves' : ''];
  });
  const leftAlone = later(timelock, day);
  expect(facts).toEqual([
    ['funded', 'clientfunded', 'evm-lock', null, 'open', 'reserves'],
    ['locking', 'clientfunded', 'evm-lock vhtlc', null, 'open', ''],
    ['locked', 'serverfunded', 'evm-lock vhtlc queue', locktime, 'open', ''],
    ['refunding', 'serverfunded', 'evm-lock vhtlc queue', locktime, 'open', ''],
    ['refunding told', 'serverfunded', 'evm-lock vhtlc queue', locktime, 'open', ''],
    ['claiming', 'clientredeemed', 'evm-lock', null, 'open', ''],
    ['claiming racing', 'clientredeemed', 'evm-lock vhtlc', null, 'open', ''],
    ['returned', 'clientfundedserverrefunded', 'evm-lock', leftAlone, 'open', ''],
    ['claimed', 'serverredeemed', 'evm-lock', null, 'ended', ''],
    ['claimed racing', 'serverredeemed', 'evm-lock vhtlc', null, 'open', ''],
    ['lost racing', 'clientredeemedandclientrefunded', 'evm-lock vhtlc', null, 'open', ''],
    ['stopped wont', 'serverwontfund', 'evm-lock vhtlc', leftAlone, 'open', ''],
    ['refunded', 'clientrefunded', 'evm-lock', leftAlone, 'open', ''],
    ['lapsed', 'expired', '', null, 'ended', ''],
  ]);
});

test('every state says who is waited for, and is kept in a form that can be read again', () => {
  expect(everything.states.filter((p) => machine.nextAction(t, p).length < 8)).toEqual([]);
  const { terms, progress } = machine.shape;
  expect(terms.read(t, terms.version)).toEqual(t);
  expect(everything.states.map((p) => progress.read(p, progress.version))).toEqual(everything.states);
});

test('facts/clients.md 45: the record names our VHTLC by both names, once it surely is one', () => {
  const record = (p: EvmArkadeProgress) =>
    viewEvmArkade({ id: 'one', createdAt: start, status: machine.status(p), network: 'regtest' }, t, p);
  expect(record(fresh)).toMatchObject({
    status: 'pending',
    fee_sats: 260,
    source_amount: '100260',
    evm_expected_sats: '100260',
    target_amount: '100000',
    target_token: { chain: 'Arkade', token_id: 'btc' },
    hash_lock: `0x${toHex(t.hash)}`,
    btc_vhtlc_address: t.address,
    target_arkade_address: t.targetArkadeAddress,
    receiver_pk: '02'.repeat(33),
    sender_pk: toHex(t.serverKey),
    vhtlc_refund_locktime: locktime,
    evm_refund_locktime: timelock,
    arkade_htlc_script_version: 1,
    gasless: true,
  });
  const coins = (name: string) => {
    const { btc_fund_txid: fund, arkade_fund_txid, btc_claim_txid: claim, arkade_claim_txid } = record(state(name));
    expect([arkade_fund_txid, arkade_claim_txid]).toEqual([fund, claim]);
    return [fund, claim];
  };
  expect(['pending', 'locking', 'locked', 'claiming', 'claiming racing asked', 'returned'].map(coins)).toEqual([
    [undefined, undefined],
    [undefined, undefined],
    [coinPoint.txid, undefined],
    [coinPoint.txid, spentBy.clientClaim.spentIn],
    [coinPoint.txid, undefined],
    [coinPoint.txid, undefined],
  ]);
});

describe('what loses money when it is wrong', () => {
  const did = (kind: string) =>
    everything.moves.filter(({ step: { effects } }) =>
      effects.some((one) => (one.do === 'evm.send' ? one.act.is : one.do) === kind),
    );

  test('facts/timelocks.md 1, 26: the client’s lock outlives our VHTLC by both clocks’ lag and the margin', () => {
    const judge = (at: number, lag: number) =>
      safeToFundForLock(
        { network, depth: 16, confirmations: 16, timelock: unix(at), htlcRefundLocktime: locktime },
        { ...evmClocksAt(start), bitcoin: { mtp: unix(start - lag), height: 900_000 } },
        t.policy,
      );
    const { mtpLag, margin } = t.policy;
    // Ours is open until `locktime`, read by a clock that trails by its whole lag, and opens that much later.
    const needed = locktime + 2 * mtpLag + margin + mtpLag - 2;
    expect([judge(needed, mtpLag), judge(needed - 1, mtpLag)?.unsafe]).toEqual([null, 'wait']);
    // What the create agrees on is enough whatever the clocks do in the funding window.
    expect(judge(timelock, mtpLag)).toBeNull();
  });

  test('a VHTLC is asked for by a buried lock alone, and the lock claimed for a claim of it alone', () => {
    const asks = did('vhtlc.lock').filter(({ from }) => from.at !== 'locking');
    expect([...new Set(asks.map(({ label }) => label))]).toEqual([
      'evm.seen right',
      'evm.seen more than agreed',
      'evm.seen dust beside the right one',
      'evm.seen a stranger’s',
      'evm.seen a stranger’s beside the right one',
      'evm.seen a stranger’s buried, the right one not',
      'evm.seen a stranger’s refunded beside the right one',
      'evm.seen a stranger’s beside the right one refunded',
      'evm.seen right, funding window over',
    ]);
    const all = did('claim').filter(({ from }) => from.at !== 'claiming');
    expect([...new Set(all.map(({ from }) => from.at))]).toEqual(['locking', 'locked', 'refunding']);
    // By a clock alone it is claimed with a secret that was saved before.
    const [claims, byClock] = [false, true].map((is) => all.filter(({ label }) => label.startsWith('clock') === is));
    expect([...new Set(claims?.map(({ label }) => label.split(' ')[0]))]).toEqual(['vhtlc.seen', 'claim.relayed']);
    expect(byClock?.filter(({ from }) => !('told' in from))).toEqual([]);
  });

  test('fault 1, arkade: the lock is saved before it is sent, and sent for a lock that still stands alone', () => {
    const lock = seenLock({ amount: 500_000n });
    const funded = after('pending', lookAt([lock]));
    const ready = step(funded.progress, {
      is: 'vhtlc.prepared',
      purpose: 'lock',
      txid: coinPoint.txid,
      output: coinPoint,
    });
    expect(ready).toMatchObject({
      progress: { at: 'locking', lock: coinPoint },
      effects: [
        {
          do: 'vhtlc.submit',
          onlyIf: {
            notAfter: t.lockBefore,
            escrow: {
              network,
              htlc: t.contracts.htlc,
              lock: lock.terms,
              txid: lock.txid,
              confirmations: 16,
              htlcRefundLocktime: locktime,
            },
          },
        },
      ],
    });
  });

  test('our claim of the lock and the client’s claim of the VHTLC are kept apart', () => {
    const claiming = after('locked', look(coin(spentBy.clientClaim)));
    expect(claiming).toMatchObject({
      progress: { at: 'claiming', claimTxid: null, redeemTxid: spentBy.clientClaim.spentIn },
      effects: [{ do: 'evm.send', act: { is: 'claim' } }],
      learned: preimage,
    });
    const sent = step(claiming.progress, { is: 'evm.prepared', purpose: 'claim', txid: sentTxid.claim }).progress;
    expect(sent).toMatchObject({ claimTxid: sentTxid.claim, redeemTxid: spentBy.clientClaim.spentIn });
    // One that fails on the chain is made again.
    const end = { is: 'mined', by: sentTxid.claim, ok: false, confirmations: 1, cost: 4_000n } as const;
    expect(step(sent, { is: 'evm.sent', purpose: 'claim', txid: sentTxid.claim, state: end })).toMatchObject({
      progress: { at: 'claiming', claimTxid: null },
      effects: [{ act: { is: 'claim' } }],
      flag: expect.stringMatching(/failed/) as string,
    });
    const claimed = step(sent, lookAt([seenLock({}, { state: redeemed(16) })]));
    expect(claimed.progress).toMatchObject({ at: 'claimed', claimTxid: sentTxid.claim });
    expect(claimed.ledger?.map(({ kind }) => kind)).toEqual(['protocol-fee', 'network-fee-charged']);
  });

  test('leaf 1 stays open past the locktime: a claim that is final before our refund takes the lock', () => {
    for (const name of ['locked', 'refunding', 'refunding told', 'refunding alarmed'])
      expect(after(name, look(coin(spentBy.clientClaim)), evmClocksAt(locktime + 90_000))).toMatchObject({
        progress: { at: 'claiming' },
        effects: [{ act: { is: 'claim' } }],
        learned: preimage,
      });
  });

  test('a VHTLC prepared before the clock of the lock’s chain is read goes on: its submission waits', () => {
    const prepared: Event = {
      is: 'vhtlc.prepared',
      purpose: 'lock',
      txid: txid.lock,
      output: { txid: txid.lock, vout: 0 },
    };
    expect(after('funded', prepared, clocksAt(start))).toMatchObject({
      progress: { at: 'locking' },
      effects: [{ do: 'vhtlc.submit', onlyIf: { escrow: {}, notAfter: t.lockBefore } }],
    });
  });

  test('fault 17, arkade: a claim beside our refund is saved, and opens nothing before it is decided', () => {
    for (const view of [spentBy.queuedClaim, spentBy.claimInMempool]) {
      const later = after('refunding', look(coin(view)), evmClocksAt(locktime + 3_600));
      expect(later).toMatchObject({ progress: { at: 'refunding', told: true }, effects: [], learned: preimage });
    }
    const back = after('refunding told', { is: 'vhtlc.final', purpose: 'refund', txid: txid.refund });
    expect([back.progress.at, back.effects]).toEqual(['returned', []]);
  });

  test('fault 40: a claim on the chain, or a hidden batch, counts once the lock is about to open', () => {
    const before = atTheLine(-4);
    expect(machine.step(t, state('refunding told'), { is: 'clock' }, before)).toBe('stay');
    expect(after('refunding told', look(coin(spentBy.claimInMempool)), before).progress).toMatchObject({
      at: 'refunding',
      exit: true,
    });
    for (const view of [spentBy.claimInMempool, spentBy.hiddenBatch])
      expect(after('refunding told', look(coin(view)), atTheLine())).toMatchObject({
        progress: { at: 'claiming', racing: true },
      });
    expect(after('refunding', { is: 'clock' }, atTheLine())).toMatchObject({
      progress: { at: 'refunding', alarmed: true },
      flag: expect.stringMatching(/^The lock can be claimed safely only until its chain is at \d+/) as string,
    });
    // Should our refund have won all the same, a person pays what is owed.
    const won = after('claiming racing', { is: 'vhtlc.final', purpose: 'refund', txid: txid.refund });
    expect(won).toMatchObject({
      progress: { at: 'claiming', bothLegs: true },
      flag: expect.stringMatching(
        /Both legs of this swap are ours.*its lock is claimed.*100000 sats are owed/,
      ) as string,
    });
  });

  test('fault 346, arkade: a claim that waits in the queue is believed once the lock is about to open', () => {
    const queued = look(coin(spentBy.queuedClaim));
    const claims = { progress: { at: 'claiming', racing: true }, effects: [{ do: 'evm.send', act: { is: 'claim' } }] };
    for (const name of ['refunding', 'refunding alarmed'])
      expect(after(name, queued, atTheLine())).toMatchObject({ ...claims, learned: preimage });
    // Withdrawn and banned in turn it shows at no look, and the clock is enough for a secret that was saved.
    for (const name of ['refunding told', 'refunding alarmed told', 'refunding exit told'])
      expect(after(name, { is: 'clock' }, atTheLine())).toMatchObject(claims);
    // What keeps our refund away is asked of no batch before one is shown.
    const believed = after('refunding told', { is: 'clock' }, atTheLine()).progress;
    expect(believed).not.toHaveProperty('asked');
    expect(step(believed, look(coin(spentBy.hiddenBatch)))).toMatchObject({ effects: [{ do: 'vhtlc.settle' }] });
  });

  test('fault 27: no refund of the client’s is signed while our VHTLC is out, or may be', () => {
    const refunds = did('relay-refund');
    expect([...new Set(refunds.map(({ from }) => from.at))].sort()).toEqual([
      'claimed',
      'lost',
      'refunded',
      'returned',
      'stopped',
    ]);
    // Done with the lock that paid for ours, only others are given back.
    for (const { from, label } of refunds.filter((one) => one.from.at === 'claimed' || one.from.at === 'lost'))
      expect([from.at, label]).toEqual([from.at, 'evm-refund.requested of a stranger’s']);
    for (const name of ['funded', 'locking', 'locked', 'refunding', 'refunding told', 'claiming', 'claiming racing'])
      expect(machine.step(t, state(name), askRefund(seenLock()), evmClocksAt(start + 60))).toBe('stay');
  });

  test('fault 40: once a refund is signed nothing is locked or claimed, whatever shows', () => {
    const fenced = everything.moves.filter(({ from }) => 'fenced' in from && from.fenced);
    const acts = fenced.flatMap(({ step: { effects } }) =>
      effects.map((one) => (one.do === 'evm.send' ? one.act.is : one.do)),
    );
    expect(fenced.length).toBeGreaterThan(0);
    expect(acts.filter((act) => act !== 'relay-refund')).toEqual([]);
  });

  test('a lock that its client takes back after its claim of our VHTLC is a loss', () => {
    const lost = after('claiming', lookAt([seenLock({}, { state: refunded(16) })]));
    expect(lost).toMatchObject({
      progress: { at: 'lost' },
      ledger: [{ kind: 'loss', network: 'arkade', amount: -100_000_000n }],
      flag: expect.stringMatching(/The client took its lock back although it had claimed our VHTLC/) as string,
    });
    // Left there, whoever has the secret takes it one day: unclaimed, it comes back.
    expect(after('lost racing', look(coin()))).toMatchObject({ effects: [{ do: 'vhtlc.refund' }] });
    const back = after('lost racing', { is: 'vhtlc.final', purpose: 'refund', txid: txid.refund });
    expect([back.progress.at, back.ledger]).toEqual([
      'refunded',
      [{ kind: 'loss', network: 'arkade', asset: 'btc', amount: 100_000_000n }],
    ]);
  });

  test('fault 125, arkade: once our VHTLC came back no other lock of the client is claimed for it', () => {
    const locks = [
      seenLock({}, { state: refunded(16) }),
      seenLock({ amount: t.least + 5n }, { txid: 'd5'.repeat(32), depositor: account.client }),
    ];
    expect(after('claiming', lookAt(locks))).toMatchObject({ progress: { at: 'claiming' }, effects: [{}] });
    const { progress, effects, ledger } = after('claiming bothLegs', lookAt(locks));
    expect([progress.at, effects, ledger]).toEqual(['refunded', [], undefined]);
    // Nor one in the place of the first, whose block is gone.
    expect(after('claiming bothLegs', lookAt(locks.slice(1)))).toMatchObject({ effects: [], progress: { gone: true } });
  });

  test('fault 5: a VHTLC that was forgotten is the swap’s, and none is made beside it', () => {
    expect(after('funded', look(coin({ amount: t.targetAmount })))).toMatchObject({
      progress: { at: 'locked', lock: coinPoint },
      effects: [],
      supersedes: ['arkade'],
    });
  });

  test('fault 44, arkade: a wallet that cannot lock gives the lock back at once', () => {
    const stopped = after('funded', {
      is: 'vhtlc.refused',
      purpose: 'lock',
      txid: null,
      why: 'refused',
      reason: 'the wallet is empty',
    }).progress;
    expect(step(stopped, askRefund(seenLock()))).toMatchObject({ effects: [{ act: { is: 'relay-refund' } }] });
  });

  test('the lock of somebody else that was counted is claimed like the client’s', () => {
    const others = seenLock({}, { depositor: account.stranger });
    expect(after('pending', lookAt([others]))).toMatchObject({ progress: { at: 'funded' } });
  });
});
