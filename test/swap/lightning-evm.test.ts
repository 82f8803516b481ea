import { describe, expect, test } from 'vitest';
import { decode, encode } from '../../engine/store/codec.ts';
import type { LightningEvmProgress } from '../../engine/swap/directions/lightning-evm.ts';
import type { Event, SwapStep } from '../../engine/swap/machine.ts';
import { clocksOn, evmSeen, evmTxid, lockIs, seenLock } from './arkade-evm-cases.ts';
import { preimage, start } from './cases.ts';
import { explore } from './explore.ts';
import { lightningEvmCase, lightningEvmTerms as t } from './lightning-evm-cases.ts';
import { movesTo, nameOf } from './table.ts';

type P = LightningEvmProgress;
const { machine, events } = lightningEvmCase;

function named(p: P): string {
  return `${nameOf(p)}${'doubt' in p ? ' doubtful' : ''}`;
}

function inWords(step: SwapStep<P>): string {
  return movesTo(step).replace(nameOf(step.progress), named(step.progress));
}

/** Every state, and every event of the catalogue that moves it. An event that is not listed leaves the state alone. */
const moves: Record<string, Record<string, string>> = {
  opening: {
    abandoned: 'unopened, supersedes',
    'hold.created': 'pending',
    'hold.refused': 'unopened, supersedes',
    'clock, timelock passed by the wall alone': 'unopened, supersedes',
    'clock, timelock passed': 'unopened, supersedes',
    'clock, locktime passed': 'unopened, supersedes',
    'clock, funding window over': 'unopened, supersedes',
    'clock, one second before the timelock': 'unopened, supersedes',
  },
  unopened: {},
  pending: {
    'hold.seen held': 'funded, evm.send',
    'hold.seen held short by one': 'stopped wont, hold.cancel',
    'hold.seen held too briefly': 'stopped wont, hold.cancel',
    'hold.seen cancelled': 'lapsed',
    'hold.seen held, too late': 'funded, evm.send',
    'clock, timelock passed by the wall alone': 'stopped expired, hold.cancel',
    'clock, timelock passed': 'stopped expired, hold.cancel',
    'clock, locktime passed': 'stopped expired, hold.cancel',
    'hold.seen held, too late on the EVM chain': 'stopped wont, hold.cancel',
    'clock, funding window over': 'stopped expired, hold.cancel',
    'clock, one second before the timelock': 'stopped expired, hold.cancel',
  },
  funded: {
    'hold.seen cancelled': 'stopped wont cancelled, supersedes',
    'evm.prepared lock': 'locking',
    'evm.refused lock': 'stopped wont doubtful',
    'evm.already-done lock': 'funded',
    'evm.seen active': 'locked, supersedes',
    'evm.seen claimed': 'claiming, hold.settle, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, hold.settle, supersedes, learns',
    'evm.seen refunded': 'locked, supersedes',
    'evm.seen refundedDeep': 'locked, supersedes',
    'evm.seen active in another block': 'locked, supersedes',
    'evm.seen claimed, the VHTLC about to open': 'claiming, hold.settle, supersedes, learns',
  },
  'stopped wont': {
    'evm.seen active': 'locked',
    'evm.seen active in another block': 'locked',
    'evm.seen claimed': 'claiming, hold.settle, learns',
    'evm.seen claimed, the VHTLC about to open': 'claiming, hold.settle, learns',
    'evm.seen claimedDeep': 'claiming, hold.settle, learns',
    'evm.seen refunded': 'locked',
    'evm.seen refundedDeep': 'locked',
    'hold.cancelled': 'stopped wont cancelled',
    'hold.seen cancelled': 'stopped wont cancelled',
  },
  lapsed: {},
  'stopped expired': {
    'hold.seen held': 'stopped expired',
    'hold.seen held short by one': 'stopped expired',
    'hold.seen held too briefly': 'stopped expired',
    'hold.seen held, EVM clock unread': 'stopped expired',
    'hold.seen held, clock unread': 'stopped expired',
    'hold.seen held, too late': 'stopped expired',
    'hold.seen held, too late on the EVM chain': 'stopped expired',
    'hold.cancelled': 'lapsed',
    'hold.seen cancelled': 'lapsed',
  },
  'stopped wont cancelled': {},
  locking: {
    'evm.sent lock reverted and buried': 'stopped wont doubtful',
    'evm.sent lock gone': 'funded, evm.send',
    'evm.seen active': 'locked',
    'evm.seen claimed': 'claiming, hold.settle, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, hold.settle, supersedes, learns',
    'evm.seen refunded': 'locked',
    'evm.seen refundedDeep': 'locked',
    'evm.seen active in another block': 'locked',
    'evm.seen claimed, the VHTLC about to open': 'claiming, hold.settle, supersedes, learns',
  },
  'stopped wont doubtful': {
    'hold.cancelled': 'stopped wont cancelled doubtful',
    'hold.seen cancelled': 'stopped wont cancelled doubtful',
    'evm.seen nothing': 'stopped wont, hold.cancel',
    'evm.seen active': 'locked, supersedes',
    'evm.seen claimed': 'claiming, hold.settle, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, hold.settle, supersedes, learns',
    'evm.seen refunded': 'locked, supersedes',
    'evm.seen refundedDeep': 'locked, supersedes',
    'evm.seen active in another block': 'locked, supersedes',
    "evm.seen a stranger's of the hash": 'stopped wont, hold.cancel',
    'evm.seen claimed, the VHTLC about to open': 'claiming, hold.settle, supersedes, learns',
  },
  locked: {
    'evm.seen claimed': 'claiming, hold.settle, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, hold.settle, supersedes, learns',
    'evm.seen refundedDeep': 'returned, hold.cancel, supersedes',
    'evm.seen active in another block': 'locked',
    'evm.seen claimed, the VHTLC about to open': 'claiming, hold.settle, supersedes, learns',
    'claim.requested': 'relaying relay asked, evm.send, learns',
    'clock, timelock passed': 'refunding, evm.send',
    'clock, locktime passed': 'refunding, evm.send',
  },
  claiming: {
    'hold.settled': 'claimed, books',
    'hold.seen absent': 'claiming, FLAG',
    'hold.seen settled': 'claimed, books',
    'hold.seen cancelled': 'lost, supersedes, books, FLAG',
    'hold.seen absent, its timeout buried': 'lost, supersedes, books, FLAG',
    'evm.seen refunded': 'claiming, FLAG',
    'evm.seen refundedDeep': 'claiming, FLAG',
  },
  'stopped wont cancelled doubtful': {
    'evm.seen nothing': 'stopped wont cancelled',
    'evm.seen active': 'locked, supersedes',
    'evm.seen claimed': 'claiming, hold.settle, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, hold.settle, supersedes, learns',
    'evm.seen refunded': 'locked, supersedes',
    'evm.seen refundedDeep': 'locked, supersedes',
    'evm.seen active in another block': 'locked, supersedes',
    "evm.seen a stranger's of the hash": 'stopped wont cancelled',
    'evm.seen claimed, the VHTLC about to open': 'claiming, hold.settle, supersedes, learns',
  },
  returned: {
    'hold.cancelled': 'refunded',
    'hold.seen cancelled': 'refunded',
  },
  'relaying relay asked': {
    'evm.prepared relay-claim': 'relaying relay sent',
    'evm.refused relay-claim': 'locked',
    'evm.already-done relay-claim': 'relaying relay asked',
    'evm.seen claimed': 'claiming relay asked, hold.settle, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay asked, hold.settle, supersedes, learns',
    'evm.seen refundedDeep': 'returned, hold.cancel, supersedes',
    'evm.seen active in another block': 'relaying relay asked',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay asked, hold.settle, supersedes, learns',
    'clock, timelock passed': 'refunding relay asked, evm.send',
    'clock, locktime passed': 'refunding relay asked, evm.send',
  },
  refunding: {
    'evm.prepared refund': 'refunding',
    'evm.already-done refund': 'refunding',
    'evm.seen claimed': 'claiming, hold.settle, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, hold.settle, supersedes, learns',
    'evm.seen refundedDeep': 'returned, hold.cancel, supersedes',
    'evm.seen claimed, the VHTLC about to open': 'claiming, hold.settle, supersedes, learns',
  },
  claimed: {
    'evm.seen nothing': 'claimed',
    'evm.seen nothing, asked before': 'claimed',
    'evm.seen active': 'claimed',
    'evm.seen claimedDeep': 'claimed',
    'evm.seen refundedDeep': 'claimed, FLAG',
    'evm.seen active in another block': 'claimed',
    "evm.seen a stranger's of the hash": 'claimed',
  },
  lost: {
    'evm.seen claimedDeep': 'lost, supersedes',
    'evm.seen refundedDeep': 'refunded, supersedes, books, FLAG',
  },
  refunded: {},
  'relaying relay sent': {
    'evm.prepared relay-claim': 'relaying relay sent',
    'evm.sent relay-claim taken': 'relayed relay sent',
    'evm.sent relay-claim mined': 'relayed relay sent',
    'evm.sent relay-claim mined by a variant': 'relayed relay sent',
    'evm.sent relay-claim reverted': 'locked',
    'evm.sent relay-claim reverted and buried': 'locked',
    'evm.sent relay-claim gone': 'locked',
    'evm.seen claimed': 'claiming relay sent, hold.settle, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay sent, hold.settle, supersedes, learns',
    'evm.seen refundedDeep': 'returned, hold.cancel, supersedes',
    'evm.seen active in another block': 'relaying relay sent',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay sent, hold.settle, supersedes, learns',
    'clock, timelock passed': 'refunding relay sent, evm.send',
    'clock, locktime passed': 'refunding relay sent, evm.send',
  },
  'claiming relay asked': {
    'hold.settled': 'claimed, books',
    'hold.seen absent': 'claiming relay asked, FLAG',
    'hold.seen settled': 'claimed, books',
    'hold.seen cancelled': 'lost relay asked, supersedes, books, FLAG',
    'hold.seen absent, its timeout buried': 'lost relay asked, supersedes, books, FLAG',
    'evm.seen refunded': 'claiming relay asked, FLAG',
    'evm.seen refundedDeep': 'claiming relay asked, FLAG',
  },
  'refunding relay asked': {
    'evm.prepared refund': 'refunding relay asked',
    'evm.already-done refund': 'refunding relay asked',
    'evm.seen claimed': 'claiming relay asked, hold.settle, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay asked, hold.settle, supersedes, learns',
    'evm.seen refundedDeep': 'returned, hold.cancel, supersedes',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay asked, hold.settle, supersedes, learns',
  },
  'relayed relay sent': {
    'evm.sent relay-claim mined': 'relayed relay sent',
    'evm.sent relay-claim mined by a variant': 'relayed relay sent',
    'evm.sent relay-claim reverted': 'locked',
    'evm.sent relay-claim reverted and buried': 'locked',
    'evm.sent relay-claim gone': 'locked',
    'evm.seen claimed': 'claiming relay sent, hold.settle, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay sent, hold.settle, supersedes, learns',
    'evm.seen refundedDeep': 'returned, hold.cancel, supersedes',
    'evm.seen active in another block': 'relayed relay sent',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay sent, hold.settle, supersedes, learns',
    'clock, timelock passed': 'refunding relay sent, evm.send',
    'clock, locktime passed': 'refunding relay sent, evm.send',
  },
  'claiming relay sent': {
    'hold.settled': 'claimed relay sent, books',
    'hold.seen absent': 'claiming relay sent, FLAG',
    'hold.seen settled': 'claimed relay sent, books',
    'hold.seen cancelled': 'lost relay sent, supersedes, books, FLAG',
    'hold.seen absent, its timeout buried': 'lost relay sent, supersedes, books, FLAG',
    'evm.sent relay-claim mined': 'claiming relay sent',
    'evm.sent relay-claim mined by a variant': 'claiming relay sent',
    'evm.sent relay-claim reverted': 'claiming relay sent',
    'evm.sent relay-claim reverted and buried': 'claiming relay sent',
    'evm.seen refunded': 'claiming relay sent, FLAG',
    'evm.seen refundedDeep': 'claiming relay sent, FLAG',
  },
  'refunding relay sent': {
    'evm.sent relay-claim mined': 'refunding relay sent',
    'evm.sent relay-claim mined by a variant': 'refunding relay sent',
    'evm.sent relay-claim reverted': 'refunding relay sent',
    'evm.sent relay-claim reverted and buried': 'refunding relay sent',
    'evm.prepared refund': 'refunding relay sent',
    'evm.already-done refund': 'refunding relay sent',
    'evm.seen claimed': 'claiming relay sent, hold.settle, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay sent, hold.settle, supersedes, learns',
    'evm.seen refundedDeep': 'returned, hold.cancel, supersedes',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay sent, hold.settle, supersedes, learns',
  },
  'lost relay asked': {
    'evm.seen claimedDeep': 'lost relay asked, supersedes',
    'evm.seen refundedDeep': 'refunded, supersedes, books, FLAG',
  },
  'claimed relay asked': {
    'evm.prepared relay-claim': 'claimed relay sent',
    'evm.refused relay-claim': 'claimed',
    'evm.already-done relay-claim': 'claimed relay asked',
    'evm.seen claimed': 'claimed relay asked',
    'evm.seen forged': 'claimed relay asked',
    'evm.seen claimedDeep': 'claimed, supersedes',
    'evm.seen refundedDeep': 'claimed, supersedes, FLAG',
    'evm.seen claimed, the VHTLC about to open': 'claimed relay asked',
  },
  'claimed relay sent': {
    'evm.sent relay-claim taken': 'claimed relay sent',
    'evm.sent relay-claim mined': 'claimed relay sent',
    'evm.sent relay-claim mined by a variant': 'claimed relay sent',
    'evm.sent relay-claim reverted': 'claimed',
    'evm.sent relay-claim reverted and buried': 'claimed',
    'evm.sent relay-claim gone': 'claimed',
    'evm.seen nothing': 'claimed relay sent',
    'evm.seen nothing, asked before': 'claimed relay sent',
    'evm.seen active': 'claimed relay sent',
    'evm.seen claimedDeep': 'claimed relay sent',
    'evm.seen refundedDeep': 'claimed relay sent, FLAG',
    'evm.seen active in another block': 'claimed relay sent',
    "evm.seen a stranger's of the hash": 'claimed relay sent',
  },
  'lost relay sent': {
    'evm.seen claimedDeep': 'lost relay sent, supersedes',
    'evm.seen refundedDeep': 'refunded, supersedes, books, FLAG',
  },
};

const first = new Map<string, P>();
for (const p of explore(lightningEvmCase).states) if (!first.has(named(p))) first.set(named(p), p);

function state(name: string): P {
  const p = first.get(name);
  if (p === undefined) throw new Error(`no state is called ${name}`);
  return p;
}

function stepFrom(p: P, event: Event, at: number = start + 120): SwapStep<P> {
  const step = machine.step(t, p, event, clocksOn(at));
  if (step === 'stay') throw new Error(`${event.is} changes nothing in ${p.at}`);
  return step;
}

test('these are all states', () => expect([...first.keys()].sort()).toEqual(Object.keys(moves).sort()));

test.each(Object.entries(moves))('%s', (name, expected) => {
  const table: Record<string, string> = {};
  for (const { label, event, now } of events) {
    const step = machine.step(t, state(name), event, now);
    if (step !== 'stay') table[label] = inWords(step);
  }
  expect(table).toEqual(expected);
});

test('terms and every state can be kept and read back', () => {
  expect(machine.shape.terms.read(decode(encode(t)), machine.shape.terms.version)).toEqual(t);
  const { version, read } = machine.shape.progress;
  for (const p of explore(lightningEvmCase).states) expect(read(decode(encode(p)), version)).toEqual(p);
});

describe('the held payment goes back once nothing of ours can be claimed any more, and not before', () => {
  const cancels = ({ effects }: SwapStep<P>) => effects.some((effect) => effect.do === 'hold.cancel');
  const look = evmSeen([], start + 300);

  test('a lock that is refused may be a forgotten one: the payment is held until a look decides', () => {
    const refused = stepFrom(state('funded'), { is: 'evm.refused', purpose: 'lock', reason: 'it exists' });
    expect([named(refused.progress), cancels(refused)]).toEqual(['stopped wont doubtful', false]);
    expect(stepFrom(refused.progress, look)).toMatchObject({
      progress: { at: 'stopped', why: 'wont' },
      effects: [{ do: 'hold.cancel', hash: t.hash }],
    });
    const stands = stepFrom(refused.progress, evmSeen([seenLock(lockIs.active)]));
    expect([named(stands.progress), cancels(stands)]).toEqual(['locked', false]);
    expect(stands.progress).toMatchObject({ bolt11: 'lnbcrt1', expiryHeight: expect.any(Number) });
    expect(stepFrom(refused.progress, evmSeen([seenLock(lockIs.claimed)]))).toMatchObject({
      progress: { at: 'claiming' },
      effects: [{ do: 'hold.settle', hash: t.hash }],
      learned: preimage,
    });
  });

  test('one that lnd gave back meanwhile does not end the look for the lock', () => {
    const doubtful = state('stopped wont doubtful');
    const { progress } = stepFrom(doubtful, { is: 'hold.seen', state: { is: 'cancelled' } });
    expect([named(progress), machine.open(t, progress)]).toEqual(['stopped wont cancelled doubtful', true]);
    const sure = stepFrom(progress, look);
    expect([named(sure.progress), machine.open(t, sure.progress), sure.effects]).toEqual([
      'stopped wont cancelled',
      false,
      [],
    ]);
  });

  test('a refund of ours that is not buried holds it, for a claim may still take its place', () => {
    const held = ['locked', 'refunding', 'relaying relay asked', 'relayed relay sent'].map(state);
    for (const p of held) {
      expect(machine.step(t, p, evmSeen([seenLock(lockIs.refunded)]), clocksOn(start + 120))).toBe('stay');
      const back = stepFrom(p, evmSeen([seenLock(lockIs.refundedDeep)]));
      expect([back.progress.at, cancels(back)]).toEqual(['returned', true]);
    }
  });
});

test('our refund is hurried to be final while the payment is surely held', () => {
  const timelock = Number(t.lock.timelock);
  const { effects } = stepFrom(state('locked'), { is: 'clock' }, timelock);
  expect(effects).toMatchObject([{ do: 'evm.send', act: { is: 'refund' }, deadline: timelock + t.policy.margin }]);
});

test('the lock hangs on the payment, by the clock of its own chain', () => {
  const { effects } = stepFrom(state('pending'), events.find(({ label }) => label === 'hold.seen held')!.event);
  const { hash, sourceAmount, network, policy, lockBefore: notAfter } = t;
  const hold = { hash, sourceAmount, network, timelock: Number(t.lock.timelock), policy };
  expect(effects).toMatchObject([
    { do: 'evm.send', act: { is: 'lock' }, deadline: notAfter, onlyIf: { notAfter, hold } },
  ]);
});

test('the fees stay on Lightning, a lock that is lost was of its chain', () => {
  const claiming = stepFrom(state('locked'), evmSeen([seenLock(lockIs.claimed)])).progress;
  expect(claiming).toMatchObject({ at: 'claiming', redeemTxid: evmTxid.client });
  expect(stepFrom(claiming, { is: 'hold.settled' }).ledger?.map(({ network }) => network)).toEqual([
    'lightning',
    'lightning',
  ]);
  expect(stepFrom(claiming, { is: 'hold.seen', state: { is: 'cancelled' } }).ledger).toMatchObject([
    { kind: 'loss', network: t.network, amount: -t.lock.amount },
  ]);
});
