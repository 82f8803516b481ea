import { describe, expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { unix, type Clocks } from '../../engine/domain/time.ts';
import type { RefusedFor, SeenCoin } from '../../engine/legs/arkade/events.ts';
import type { Event, Machine } from '../../engine/swap/machine.ts';
import { claimDeal, fundDeal, takeArkadeCase, takeLightningCase } from '../taker/cases.ts';
import {
  arkadeLightningCase,
  clocksAt,
  coin,
  coinPoint,
  lightningArkadeCase,
  otherPoint,
  preimage,
  start,
  startHeight,
  txid,
  unread,
} from './cases.ts';

/*
 * Provider and client take a VHTLC in the same way: the one claims what the client funded and takes back what it funded
 * itself, the other the other way round. Every event of every state is told to both, and what both make of it is
 * compared.
 */

type Purpose = 'claim' | 'refund';

/** What a taking knows beside its coin. */
interface Flags {
  readonly txid: string | null;
  readonly exit?: true;
  readonly halted?: true;
  readonly told?: true;
}

/** What a side keeps of its taking: a client's claim stands beside what it gave. */
function fieldsOf(progress: object): Record<string, unknown> & { at: string } {
  const { target, ...own } = progress as { at: string; target?: object };
  return { ...own, ...target };
}

interface Side {
  readonly machine: Machine<never, { readonly at: string }>;
  readonly terms: unknown;
  state(flags: Flags): { readonly at: string };
}

const extras = { surplus: sats(0), extras: [] };
const sent = { claim: txid.claim, refund: txid.refund };

const sides: Readonly<Record<Purpose, Readonly<Record<'provider' | 'client', Side>>>> = {
  claim: {
    provider: {
      machine: arkadeLightningCase.machine as never,
      terms: arkadeLightningCase.terms,
      state: ({ txid: claimTxid, ...flags }) => ({ at: 'claiming', claimTxid, coin: coinPoint, ...extras, ...flags }),
    },
    client: {
      machine: takeLightningCase.machine as never,
      terms: takeLightningCase.terms,
      state: ({ txid: claimTxid, ...flags }) => ({
        at: 'claiming',
        deal: claimDeal,
        said: 'serverfunded',
        target: { claimTxid, coin: coinPoint, ...flags },
      }),
    },
  },
  refund: {
    provider: {
      machine: lightningArkadeCase.machine as never,
      terms: lightningArkadeCase.terms,
      state: ({ txid: refundTxid, ...flags }) => ({
        at: 'refunding',
        refundTxid,
        lock: coinPoint,
        bolt11: '',
        invoiceExpiresAt: start,
        expiryHeight: startHeight + 1_000,
        ...flags,
      }),
    },
    client: {
      machine: takeArkadeCase.machine as never,
      terms: takeArkadeCase.terms,
      state: ({ txid: refundTxid, ...flags }) => ({
        at: 'refunding',
        refundTxid,
        coin: coinPoint,
        deal: fundDeal,
        said: 'serverfunded',
        coins: [{ outpoint: coinPoint, amount: fundDeal.source.amount, spent: false }],
        expiresAt: null,
        proof: null,
        ...flags,
      }),
    },
  },
};

/**
 * Every state in which a coin may be taken: through the operator or on the chain, nothing sent, sent, and called spent.
 */
function statesOf(purpose: Purpose): Record<string, Flags> {
  const id = sent[purpose];
  return {
    'nothing signed': { txid: null },
    signed: { txid: id },
    'called spent before it was signed': { txid: null, halted: true },
    'called spent': { txid: id, halted: true },
    'on the chain, nothing signed': { txid: null, exit: true },
    'on the chain, signed': { txid: id, exit: true },
    'on the chain, called spent': { txid: null, exit: true, halted: true },
  };
}

const whys: readonly RefusedFor[] = ['spent', 'recoverable', 'unrolled', 'refused'];

/** What of the other side takes the coin. */
const rival = { claim: 'refund-without-receiver', refund: 'claim' } as const;

function sightings(purpose: Purpose): Record<string, Partial<SeenCoin>> {
  const leaf = purpose === 'claim' ? 'claim' : 'refund-without-receiver';
  const own = leaf === 'claim' ? ({ leaf, preimage } as const) : ({ leaf } as const);
  const theirs =
    rival[purpose] === 'claim' ? ({ leaf: 'claim', preimage } as const) : ({ leaf: rival[purpose] } as const);
  const by = (id: string) => ({ spent: true, spentIn: id, spentBy: id });
  const buried = { unrolled: true, onChain: { height: startHeight - 10 } };
  const fresh = { unrolled: true, onChain: { height: null } };
  return {
    unspent: {},
    'unspent on the chain': { unrolled: true },
    'spent, not readable yet': { ...by(txid.client), spend: null },
    'spent by no leaf': { ...by(txid.client), spend: 'unknown' },
    'on the chain, called spent by no leaf': { ...by(txid.client), unrolled: true, spend: 'unknown' },
    'on the chain, called spent by nothing that is shown': { ...by(txid.client), unrolled: true, spend: null },
    'on the chain, called spent by the other side': { ...by(txid.client), unrolled: true, spend: theirs },
    'taken by a batch that hides its leaf': { spent: true, recoverable: true, settledBy: txid.batch, spend: 'hidden' },
    'by what we sent': { ...by(sent[purpose]), spend: own },
    'by an earlier one of ours': { ...by(txid.client), spend: own },
    'by what we sent, in a mempool': { ...by(sent[purpose]), ...fresh, spend: own },
    'by an earlier one of ours, buried': { ...by(txid.client), ...buried, spend: own },
    'by the other side, in a mempool': { ...by(txid.client), ...fresh, spend: theirs },
    'by the other side, buried': { ...by(txid.client), ...buried, spend: theirs },
    'by the other side': { ...by(txid.client), spend: theirs },
    'by no leaf, buried': { ...by(txid.client), ...buried, spend: 'unknown' },
  };
}

function eventsOf(purpose: Purpose): Record<string, Event> {
  const id = sent[purpose];
  const refusals = whys.flatMap((why) =>
    [null, id].map((one): [string, Event] => [
      `refused ${why}, ${one === null ? 'not sent' : 'sent'}`,
      { is: 'vhtlc.refused', purpose, txid: one, why, reason: why },
    ]),
  );
  const amount = sats(50_000);
  const looks = Object.entries(sightings(purpose)).map(([name, change]): [string, Event] => [
    `seen ${name}`,
    { is: 'vhtlc.seen', coins: [coin(change)] },
  ]);
  return {
    prepared: { is: 'vhtlc.prepared', purpose, txid: id, output: { txid: id, vout: 0 } },
    accepted: { is: 'vhtlc.accepted', purpose, txid: id },
    final: { is: 'vhtlc.final', purpose, txid: id },
    ...Object.fromEntries(refusals),
    'on the chain: prepared': {
      is: 'onchain.prepared',
      leg: 'arkade',
      purpose,
      txid: id,
      amount,
      rate: 2,
      capped: false,
      height: 1,
    },
    'on the chain: stuck': { is: 'onchain.stuck', leg: 'arkade', txid: id, leastRate: 3 },
    'on the chain: final': { is: 'onchain.final', leg: 'arkade', txid: id, fee: sats(300) },
    'on the chain: spent': { is: 'onchain.refused', leg: 'arkade', txid: id, why: 'spent', reason: 'another spent it' },
    'on the chain: refused': {
      is: 'onchain.refused',
      leg: 'arkade',
      txid: id,
      why: 'refused',
      reason: 'the node says no',
    },
    ...Object.fromEntries(looks),
    'seen another coin': { is: 'vhtlc.seen', coins: [coin({ outpoint: otherPoint })] },
  };
}

const over: Readonly<Record<string, string>> = { claimed: 'ours', returned: 'ours', lost: 'theirs', waiting: 'back' };

/** What one side makes of an event, in the words of both. */
function outcome(
  { machine, terms, state }: Side,
  flags: Flags,
  event: Event,
  purpose: Purpose,
  now: Clocks = clocksAt(start + 60),
): string {
  const before = state(flags);
  const step = machine.step(terms as never, before, event, now);
  if (step === 'stay') return '-';
  const { progress } = step;
  const is = progress as { readonly at: string; readonly refundTxid?: string | null; readonly learned?: unknown };
  const effects = step.effects
    .map((effect) => effect.do)
    .filter((name) => name.startsWith('vhtlc') || name.startsWith('onchain'));
  const flagged = step.distrust === true ? ['distrust'] : [];
  if (is.at !== before.at) {
    const theirs = purpose === 'refund' && step.learned !== undefined;
    const end =
      is.at === 'done' || (is.at === 'claiming' && purpose === 'refund')
        ? theirs
          ? 'theirs'
          : 'ours'
        : (over[is.at] ?? is.at);
    return [end, ...effects, ...flagged].join(', ');
  }
  if (purpose === 'refund' && step.learned !== undefined) return 'theirs';
  const marks = (of: object): string => {
    const all = fieldsOf(of);
    const id = all[purpose === 'claim' ? 'claimTxid' : 'refundTxid'];
    return [
      all['exit'] === true ? ' exit' : '',
      all['halted'] === true ? ' halted' : '',
      id === null ? '' : ' sent',
    ].join('');
  };
  if (marks(progress) === marks(before) && effects.length + flagged.length === 0) return '-';
  return [`taking${marks(progress)}`, ...effects, ...flagged].join(', ');
}

/** All that is not the same for both, and why. */
function mayDiffer(purpose: Purpose, event: string, client: string, provider: string): boolean {
  // A provider may have claimed from memory, and its own claim finds out whether that is final; a client never does.
  if (purpose === 'claim' && event.startsWith('seen by ') && client === 'ours' && provider === '-') return true;
  // A client whose secret has not left it gives the claim up, and the payment goes back by itself; a provider has paid
  // for its secret.
  if (purpose === 'claim')
    return (
      /^(refused (spent|recoverable|unrolled|refused), not sent|seen .*)$/.test(event) && client.startsWith('back')
    );
  // A client may ask its provider to sign another refund; a provider has no other one.
  return event.startsWith('refused refused') && client === 'funded';
}

describe.each(['claim', 'refund'] as const)('a %s', (purpose) => {
  const { provider, client } = sides[purpose];
  const states = Object.entries(statesOf(purpose));
  const events = Object.entries(eventsOf(purpose));
  const happening = (name: string): Event => {
    const event = events.find(([one]) => one === name)?.[1];
    if (event === undefined) throw new Error(name);
    return event;
  };

  test.each(states)('fault 68: %s, goes on in one way for provider and client, whatever happens', (_, flags) => {
    const differ = events.flatMap(([name, event]) => {
      const one = outcome(provider, flags, event, purpose);
      const other = outcome(client, flags, event, purpose);
      return one === other || mayDiffer(purpose, name, other, one) ? [] : [`${name}: provider ${one}, client ${other}`];
    });
    expect(differ).toEqual([]);
  });

  test.each(['provider', 'client'] as const)(
    'fault 334, arkade: what is told of a transaction over another coin moves nothing of the %s',
    (side) => {
      const { machine, terms, state } = sides[purpose][side];
      const moved = states.flatMap(([name, flags]) =>
        events
          .filter(([, { is }]) => is !== 'vhtlc.seen')
          .flatMap(([label, event]) => {
            const of = (point: typeof coinPoint) => {
              const named = { ...event, coin: point } as Event;
              return machine.step(terms as never, state(flags) as never, named, clocksAt(start + 60));
            };
            // One that names no coin is of an earlier build, and is taken for ours.
            expect(of(coinPoint)).toEqual(
              machine.step(terms as never, state(flags) as never, event, clocksAt(start + 60)),
            );
            return of(otherPoint) === 'stay' ? [] : [`${name}: ${label}`];
          }),
      );
      expect(moved).toEqual([]);
    },
  );

  test.each(['provider', 'client'] as const)(
    'fault 68: what nothing buried spends on the chain is taken there by the %s, whatever it is called',
    (side) => {
      // A client's secret is out.
      const word = purpose === 'claim' && side === 'client' ? ({ told: true } as const) : {};
      const there = states
        .filter(([, { exit }]) => exit !== true)
        .flatMap(([, flags]) =>
          ['spent by no leaf', 'spent by nothing that is shown'].map((name) =>
            outcome(
              sides[purpose][side],
              { ...flags, ...word },
              happening(`seen on the chain, called ${name}`),
              purpose,
            ),
          ),
        );
      expect(new Set(there)).toEqual(new Set(['taking exit, vhtlc.exit, distrust', 'taking exit, vhtlc.exit']));
    },
  );

  if (purpose === 'claim')
    test.each(['provider', 'client'] as const)(
      'fault 348, arkade: a refund without us that is shown before its locktime ends no claim of the %s',
      (side) => {
        const flags = { txid: sent.claim, told: true } as const;
        const refund = happening('seen by the other side');
        const { refundLocktime } = side === 'client' ? claimDeal.target.vhtlc : arkadeLightningCase.terms.vhtlc;
        const shown = (now?: Clocks) => outcome(sides.claim[side], flags, refund, 'claim', now);
        const over = refundLocktime + 1_801;
        const stands = { mtp: unix(refundLocktime - 1) };
        expect([shown(), shown(clocksAt(over, stands)), shown(unread(over))]).toEqual(
          Array(3).fill('taking sent, distrust'),
        );
        // From the locktime on by any reading it is what happened; one on the chain is judged by the chain.
        const ahead = { mtp: unix(refundLocktime), height: startHeight };
        expect([shown(clocksAt(over)), shown(clocksAt(over, { ...stands, ahead }))]).toEqual(['theirs', 'theirs']);
        expect(outcome(sides.claim[side], flags, happening('seen by the other side, buried'), 'claim')).toBe('theirs');
      },
    );

  if (purpose === 'claim')
    test.each(['provider', 'client'] as const)(
      'fault 350, arkade: no word ends the claim of the %s once its coin lay on the chain',
      (side) => {
        const { refundLocktime } = side === 'client' ? claimDeal.target.vhtlc : arkadeLightningCase.terms.vhtlc;
        const late = clocksAt(refundLocktime + 1_801);
        const refund = happening('seen by the other side');
        const ends = ['on the chain, nothing signed', 'on the chain, signed'].map((name) =>
          outcome(sides.claim[side], statesOf('claim')[name] as Flags, refund, 'claim', late),
        );
        expect(ends).toEqual(['taking exit, distrust', 'taking exit sent, distrust']);
      },
    );

  if (purpose === 'claim')
    test.each(['provider', 'client'] as const)(
      'fault 351, arkade: a claim that nobody signed is none of the %s, also by a batch',
      (side) => {
        const spend = { leaf: 'claim', preimage, unsigned: true } as const;
        const by = { spent: true, spentBy: txid.client, spend };
        const shown = [
          { ...by, spentIn: txid.client },
          { ...by, spentIn: null, settledBy: txid.batch },
        ].map((change): Event => ({ is: 'vhtlc.seen', coins: [coin(change)] }));
        const ends = states.flatMap(([, flags]) =>
          shown.map((event) => outcome(sides.claim[side], { ...flags, told: true }, event, 'claim')),
        );
        expect(ends.filter((end) => !/^taking.*distrust$/.test(end))).toEqual([]);
      },
    );

  if (purpose === 'claim')
    test('fault 103: a client whose secret is its own shows it on no chain and in no batch', () => {
      const unsigned = states.filter(([, { txid: id, exit }]) => id === null && exit !== true);
      const sights = Object.keys(sightings('claim'));
      const after = unsigned.flatMap(([, flags]) =>
        sights.map((name) => outcome(client, flags, happening(`seen ${name}`), 'claim')),
      );
      expect(after.filter((one) => /vhtlc.(exit|settle)/.test(one))).toEqual([]);
      expect(after.filter((one) => one.startsWith('back')).length).toBeGreaterThan(4);
    });

  test.each(['provider', 'client'] as const)(
    'fault 68: a transaction of the %s that the chain refused is forgotten, and made again',
    (side) => {
      const { machine, terms, state } = sides[purpose][side];
      const play = (...names: string[]) => {
        let progress = state({ txid: sent[purpose], exit: true });
        let effects: string[] = [];
        for (const name of names) {
          const step = machine.step(terms as never, progress as never, happening(name), clocksAt(start + 60));
          effects = step === 'stay' ? [] : step.effects.map((effect) => effect.do);
          if (step !== 'stay') ({ progress } = step);
        }
        const { at, exit, halted, claimTxid, refundTxid } = fieldsOf(progress);
        return { at, sent: claimTxid ?? refundTxid ?? null, exit, halted, effects };
      };
      const { at } = state({ txid: null });
      const again = { at, sent: null, exit: true, halted: undefined, effects: ['vhtlc.exit'] };
      expect([
        play('on the chain: refused'),
        play('on the chain: spent', 'seen unspent on the chain'),
        play('on the chain: spent', 'seen on the chain, called spent by no leaf'),
        play('on the chain: spent', 'seen by an earlier one of ours, buried').at,
      ]).toEqual([again, again, again, { claim: 'claimed', refund: side === 'client' ? 'done' : 'returned' }[purpose]]);
    },
  );
});
