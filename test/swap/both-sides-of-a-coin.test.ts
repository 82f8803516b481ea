import { describe, expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { unix, type Clocks } from '../../engine/domain/time.ts';
import type { SeenHtlcCoin, SeenHtlcSpend } from '../../engine/legs/onchain/events.ts';
import { depositOf } from '../../engine/swap/halves/evm/claim/locks.ts';
import type { Event, Machine } from '../../engine/swap/machine.ts';
import { baseOf } from '../../engine/taker/halves/evm/fund/terms.ts';
import { bitcoin as ownCoin, takeBitcoinCase, unlocked, waiting } from '../taker/bitcoin-arkade-cases.ts';
import { coinOf, takeEvmBitcoinCase, waiting as locking } from '../taker/evm-bitcoin-cases.ts';
import { bitcoin as clientsCoin, bitcoinArkadeCase } from './bitcoin-arkade-cases.ts';
import { clocksAt, coinPoint, otherPoint, preimage, start, txid } from './cases.ts';
import { clocksOf, evmBitcoinCase, evmBitcoinTerms, seenCoin } from './evm-bitcoin-cases.ts';
import { evmClocksAt, seenLock } from './evm-lightning-cases.ts';

/*
 * Provider and client take a coin of the Bitcoin chain in the same way: the one claims what the client funded and takes
 * back what it funded itself, the other the other way round. Every event of every state is told to both, and what both
 * make of it is compared.
 */

type Purpose = 'claim' | 'refund';

/** What a taking knows beside its coin. */
interface Flags {
  readonly sent: boolean;
  readonly halted?: true;
}

interface Side {
  readonly machine: Machine<never, { readonly at: string }>;
  readonly terms: unknown;
  /** By which nobody is too late yet. */
  readonly now: Clocks;
  readonly coin: SeenHtlcCoin;
  state(flags: Flags): { readonly at: string };
}

const height = 900_100;
const own = { claim: 'aa'.repeat(32), refund: 'bb'.repeat(32) };
const others = 'cc'.repeat(32);
const forgotten = 'dd'.repeat(32);

const spends = (purpose: Purpose, sent: boolean) => (sent ? [own[purpose]] : []);
const haltedOf = ({ halted }: Flags) => (halted === undefined ? {} : { halted });

const ownPaid = ownCoin();
const sides: Readonly<Record<Purpose, Readonly<Record<'provider' | 'client', Side>>>> = {
  claim: {
    provider: {
      machine: bitcoinArkadeCase.machine as never,
      terms: bitcoinArkadeCase.terms,
      now: clocksAt(start + 60),
      coin: clientsCoin(),
      state: (flags) => ({
        at: 'claiming',
        coin: clientsCoin().outpoint,
        surplus: sats(0),
        extras: [],
        lock: coinPoint,
        claimTxid: txid.client,
        mined: null,
        spends: spends('claim', flags.sent),
        ...haltedOf(flags),
      }),
    },
    client: {
      machine: takeEvmBitcoinCase.machine as never,
      terms: takeEvmBitcoinCase.terms,
      now: evmClocksAt(start + 60),
      coin: coinOf(),
      state: (flags) => ({
        at: 'claiming',
        ...baseOf(locking),
        target: {
          coin: { outpoint: coinOf().outpoint, amount: coinOf().amount },
          shown: true,
          spends: spends('claim', flags.sent),
          ...haltedOf(flags),
        },
      }),
    },
  },
  refund: {
    provider: {
      machine: evmBitcoinCase.machine as never,
      terms: evmBitcoinCase.terms,
      now: clocksOf(evmBitcoinTerms.htlc.refundLocktime + 3_600, evmBitcoinTerms.htlc.refundLocktime + 1),
      coin: seenCoin(),
      state: (flags) => ({
        at: 'refunding',
        sent: [],
        given: null,
        deposit: depositOf(seenLock()),
        extras: [],
        output: seenCoin().outpoint,
        funding: null,
        buried: true,
        spends: spends('refund', flags.sent),
        ...haltedOf(flags),
      }),
    },
    client: {
      machine: takeBitcoinCase.machine as never,
      terms: takeBitcoinCase.terms,
      now: unlocked,
      coin: ownPaid,
      state: (flags) => ({
        ...waiting,
        at: 'refunding',
        coin: ownPaid.outpoint,
        coins: [{ outpoint: ownPaid.outpoint, amount: ownPaid.amount, mined: true, deep: true, spend: null }],
        spends: spends('refund', flags.sent),
        ...haltedOf(flags),
      }),
    },
  },
};

/** Every state in which a coin may be taken: nothing sent, sent, and called spent. */
const states: Record<string, Flags> = {
  'nothing signed': { sent: false },
  signed: { sent: true },
  'called spent before it was signed': { sent: false, halted: true },
  'called spent': { sent: true, halted: true },
};

const heights = { 'in a mempool': null, 'in a block': height, buried: height - 10 };

function sightings(purpose: Purpose): Record<string, SeenHtlcSpend | null> {
  const by = (id: string, is: Purpose, at: number | null): SeenHtlcSpend =>
    is === 'claim'
      ? { txid: id, height: at, by: is, preimage, bytes: new Uint8Array(1) }
      : { txid: id, height: at, by: is };
  const rival = purpose === 'claim' ? 'refund' : 'claim';
  return {
    unspent: null,
    'spent by nobody knows what': { txid: others, height: null, by: 'unknown' },
    'spent by nobody knows what, buried': { txid: others, height: height - 10, by: 'unknown' },
    ...Object.fromEntries(
      Object.entries(heights).flatMap(([where, at]) => [
        [`by what we sent, ${where}`, by(own[purpose], purpose, at)],
        [`by an earlier one of ours, ${where}`, by(forgotten, purpose, at)],
        [`by the other side, ${where}`, by(others, rival, at)],
      ]),
    ),
  };
}

function eventsOf(purpose: Purpose, coin: SeenHtlcCoin): Record<string, Event> {
  const { [purpose]: id } = own;
  const look = (coins: readonly SeenHtlcCoin[]): Event => ({
    is: 'htlc.seen',
    coins,
    height,
    mtp: unix(start),
    asked: unix(start),
  });
  const refusals = (['spent', 'refused'] as const).map((why): [string, Event] => [
    `refused, ${why}`,
    { is: 'onchain.refused', leg: 'bitcoin', txid: id, why, reason: why },
  ]);
  const looks = Object.entries(sightings(purpose)).map(([name, spend]): [string, Event] => [
    `seen ${name}`,
    look([{ ...coin, height: height - 20, spend }]),
  ]);
  return {
    prepared: {
      is: 'onchain.prepared',
      leg: 'bitcoin',
      purpose,
      txid: id,
      amount: coin.amount,
      rate: 2,
      capped: false,
      height,
    },
    stuck: { is: 'onchain.stuck', leg: 'bitcoin', txid: id, leastRate: 3 },
    final: { is: 'onchain.final', leg: 'bitcoin', txid: id, fee: sats(300) },
    ...Object.fromEntries(refusals),
    ...Object.fromEntries(looks),
  };
}

/** What a state that is no taking any more means for the coin. */
const over: Readonly<Record<string, string>> = {
  claimed: 'ours',
  returned: 'ours',
  done: 'ours',
  lost: 'theirs',
  funded: 'theirs',
};

/** What one side makes of an event, in the words of both. */
function outcome(side: Side, flags: Flags, event: Event): string {
  const { machine, terms, state, now } = side;
  const before = state(flags);
  const step = machine.step(terms as never, before, event, now);
  if (step === 'stay') return '-';
  const { progress } = step;
  const effects = step.effects.map((effect) => effect.do).filter((name) => /^(htlc|onchain)/.test(name));
  if (progress.at !== before.at) return over[progress.at] ?? progress.at;
  const marks = (of: object): string => {
    const { target, ...own } = of as { readonly target?: object };
    const { halted } = { ...target, ...own } as { readonly halted?: true };
    return halted === true ? ' halted' : '';
  };
  if (marks(progress) === marks(before) && effects.length === 0) return '-';
  return [`taking${marks(progress)}`, ...effects].join(', ');
}

/** All that is not the same for both, and why. */
function mayDiffer(purpose: Purpose, event: string, provider: string): boolean {
  // A provider whose client claims has a lock to claim with the secret, and a client waits for what is buried.
  if (purpose === 'refund' && event.startsWith('seen by the other side')) return true;
  // Its client gets its lock back as soon as that may be, and what it cost is told of later.
  return purpose === 'refund' && event === 'seen by what we sent, buried' && provider === 'ours';
}

describe.each(['claim', 'refund'] as const)('a %s', (purpose) => {
  const { provider, client } = sides[purpose];

  test.each(Object.entries(states))(
    'fault 102, bitcoin: %s, goes on in one way for provider and client',
    (_, flags) => {
      const ofClient = eventsOf(purpose, client.coin);
      const differ = Object.entries(eventsOf(purpose, provider.coin)).flatMap(([name, event]) => {
        const one = outcome(provider, flags, event);
        const other = outcome(client, flags, ofClient[name] ?? event);
        return one === other || mayDiffer(purpose, name, one) ? [] : [`${name}: provider ${one}, client ${other}`];
      });
      expect(differ).toEqual([]);
    },
  );

  test.each(['provider', 'client'] as const)(
    'fault 102, bitcoin: what was called spent is taken by the %s until a spend of it is buried',
    (name) => {
      const side = sides[purpose][name];
      const whatever = Object.entries(eventsOf(purpose, side.coin)).filter(
        ([label]) => label.startsWith('seen') && !label.endsWith('buried') && !mayDiffer(purpose, label, ''),
      );
      const went = whatever.flatMap(([label, event]) => {
        const is = outcome(side, { sent: true, halted: true }, event);
        return is === 'taking, htlc.spend' ? [] : [`${label}: ${is}`];
      });
      expect([whatever.length > 4, went]).toEqual([true, []]);
    },
  );

  test.each(['provider', 'client'] as const)(
    'fault 360, bitcoin: what is told of a spend of another coin moves nothing of the %s',
    (name) => {
      const { machine, terms, state, now, coin } = sides[purpose][name];
      const notOurs = (['spent', 'refused'] as const).map((why): [string, Event] => [
        `of a stranger’s, ${why}`,
        { is: 'onchain.refused', leg: 'bitcoin', txid: others, why, reason: why },
      ]);
      const events = [...Object.entries(eventsOf(purpose, coin)), ...notOurs].filter(
        ([, { is }]) => is !== 'htlc.seen',
      );
      const moved = Object.entries(states).flatMap(([called, flags]) =>
        events.flatMap(([label, event]) => {
          const step = (one: object) => machine.step(terms as never, state(flags), one as Event, now);
          // One that names no coin is of an earlier build, and is taken for ours.
          expect(step({ ...event, coin: coin.outpoint })).toEqual(step(event));
          return step({ ...event, coin: otherPoint }) === 'stay' ? [] : [`${called}: ${label}`];
        }),
      );
      expect(moved).toEqual([]);
    },
  );
});

test('fault 360, bitcoin: an own order gives up no coin by what is told of another', () => {
  const spent = (coin: typeof otherPoint): Event => ({
    is: 'onchain.refused',
    leg: 'bitcoin',
    txid: others,
    coin,
    why: 'spent',
    reason: 'spent',
  });
  const { claim, refund } = sides;
  const { target, ...claiming } = claim.client.state({ sent: false }) as { at: string; target: object };
  const unshown = { ...claiming, target: { ...target, shown: false } };
  const asking = { ...refund.client.state({ sent: false }), at: 'asking' };
  const outcomes = [
    { side: claim.client, state: unshown },
    { side: refund.client, state: asking },
  ].map(({ side, state }) =>
    [otherPoint, side.coin.outpoint].map((coin) => {
      const step = side.machine.step(side.terms as never, state, spent(coin), side.now);
      return step === 'stay' ? step : step.progress.at;
    }),
  );
  expect(outcomes).toEqual([
    ['stay', 'funded'],
    ['stay', 'funded'],
  ]);
});
