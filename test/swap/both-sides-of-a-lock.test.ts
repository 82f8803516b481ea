import { describe, expect, test } from 'vitest';
import { unix, type Clocks } from '../../engine/domain/time.ts';
import type { EvmPurpose } from '../../engine/legs/evm/acts.ts';
import type { SeenLock, SentState } from '../../engine/legs/evm/events.ts';
import { depositOf } from '../../engine/swap/halves/evm/claim/locks.ts';
import type { Event, Machine } from '../../engine/swap/machine.ts';
import { noLock } from '../taker/taken.ts';
import { offer, takeArkadeEvmCase } from '../taker/arkade-evm-cases.ts';
import { lockOf, takeEvmLightningCase, waiting, lock as clientsLock } from '../taker/evm-lightning-cases.ts';
import { arkadeEvmCase, arkadeEvmTerms, clocksOn, seenLock as ourLock } from './arkade-evm-cases.ts';
import { coinPoint, preimage, start } from './cases.ts';
import { evmClocksAt, evmLightningCase, network, seenLock } from './evm-lightning-cases.ts';

/*
 * Provider and client take a lock of an EVM chain in the same way: the one claims what the client locked and takes back
 * what it locked itself, the other the other way round. Every event of every state is told to both, and what both make
 * of it is compared.
 */

type Purpose = 'claim' | 'refund';

interface Side {
  readonly machine: Machine<never, { readonly at: string }>;
  readonly terms: unknown;
  readonly now: Clocks;
  readonly purpose: EvmPurpose;
  lock(change: Partial<SeenLock>): SeenLock;
  /** `sent`: our transaction, once it is signed. */
  state(sent: string | null): { readonly at: string };
}

const own = 'aa'.repeat(32);
const variant = 'ab'.repeat(32);
const others = 'cc'.repeat(32);
const { first: offered } = takeArkadeEvmCase;

const sides: Readonly<Record<Purpose, Readonly<Record<'provider' | 'client', Side>>>> = {
  claim: {
    provider: {
      machine: evmLightningCase.machine as never,
      terms: evmLightningCase.terms,
      now: evmClocksAt(start + 600),
      purpose: 'claim',
      lock: (change) => ({ ...seenLock(), ...change }),
      state: (sent) => ({
        at: 'claiming',
        claimTxid: sent,
        sent: sent === null ? [] : [{ purpose: 'claim', txid: sent }],
        given: null,
        deposit: depositOf(seenLock()),
        extras: [],
      }),
    },
    client: {
      machine: takeArkadeEvmCase.machine as never,
      terms: takeArkadeEvmCase.terms,
      now: evmClocksAt(start + 600),
      purpose: 'taker-claim',
      lock: offer,
      state: (sent) => ({
        ...offered,
        at: 'claiming',
        target: {
          ...noLock,
          by: 'node',
          since: unix(start + 590),
          sent,
          declined: null,
          alone: false,
          lockTxid: offer().txid,
        },
      }),
    },
  },
  refund: {
    provider: {
      machine: arkadeEvmCase.machine as never,
      terms: arkadeEvmCase.terms,
      now: clocksOn(Number(arkadeEvmTerms.lock.timelock) + 60),
      purpose: 'refund',
      lock: (change) => ({ ...ourLock({ is: 'active' }), ...change }),
      state: (refundTxid) => ({
        at: 'refunding',
        refundTxid,
        relay: null,
        coin: coinPoint,
        surplus: 0n,
        extras: [],
        sent: others,
        fundTxid: ourLock({ is: 'active' }).txid,
      }),
    },
    client: {
      machine: takeEvmLightningCase.machine as never,
      terms: takeEvmLightningCase.terms,
      now: evmClocksAt(Number(clientsLock.timelock) + 60),
      purpose: 'taker-refund',
      lock: lockOf,
      state: (sent) => ({
        ...waiting,
        at: 'refunding',
        made: { txid: lockOf().txid, amount: clientsLock.amount },
        signedUntil: unix(start + 1_200),
        sent,
      }),
    },
  },
};

const fates: Record<string, SentState> = {
  waiting: { is: 'waiting', taken: null },
  'taken by a node': { is: 'waiting', taken: variant },
  mined: { is: 'mined', by: variant, ok: true, confirmations: 1, cost: 9n },
  'mined and failed': { is: 'mined', by: variant, ok: false, confirmations: 1, cost: 9n },
  'mined and failed, buried': { is: 'mined', by: variant, ok: false, confirmations: 16, cost: 9n },
  gone: { is: 'gone' },
};

const ends = (is: 'redeemed' | 'refunded', txid: string, confirmations: number): SeenLock['state'] =>
  is === 'redeemed' ? { is, preimage, txid, confirmations } : { is, txid, confirmations };

function eventsOf({ purpose, lock, now }: Side): Record<string, Event> {
  const time = unix(now.wall - 2);
  const look = (...locks: SeenLock[]): Event => ({
    is: 'evm.seen',
    network,
    height: 60_000_900,
    time,
    asked: now.wall,
    locks,
  });
  const looks = (['redeemed', 'refunded'] as const).flatMap((is) =>
    [1, 15, 16].map((deep): [string, Event] => [
      `seen ${is}, ${deep} deep`,
      look(lock({ state: ends(is, variant, deep) })),
    ]),
  );
  return {
    signed: { is: 'evm.prepared', purpose, txid: own },
    refused: { is: 'evm.refused', purpose, reason: 'an RPC says no' },
    'said to be done': { is: 'evm.already-done', purpose },
    ...Object.fromEntries(
      Object.entries(fates).map(([name, state]): [string, Event] => [
        `ours ${name}`,
        { is: 'evm.sent', purpose, txid: own, state },
      ]),
    ),
    'another one gone': { is: 'evm.sent', purpose, txid: others, state: { is: 'gone' } },
    'seen as it was': look(lock({ confirmations: 20 })),
    'seen in another block': look(lock({ confirmations: 1 })),
    'seen nowhere': look(),
    ...Object.fromEntries(looks),
  };
}

/** What becomes of the lock, in the words of both. */
const over: Readonly<Record<Purpose, Readonly<Record<string, string>>>> = {
  claim: { claimed: 'ours', lost: 'theirs', funded: 'theirs' },
  refund: { returned: 'ours', refunded: 'ours', done: 'ours', claiming: 'theirs', claimed: 'theirs' },
};

/** Whether the state waits for the end of our transaction. */
function isOnItsWay(p: object): boolean {
  const { target, ...ours } = p as { readonly target?: object };
  const all = { ...target, ...ours } as { readonly sent: unknown; readonly refundTxid?: string | null };
  const { sent, refundTxid } = all;
  if (Array.isArray(sent)) return sent.some(({ txid }: { readonly txid: string }) => txid === own);
  return (refundTxid === undefined ? sent : refundTxid) === own;
}

function outcome(side: Side, purpose: Purpose, sent: string | null, event: Event): string {
  const { machine, terms, state, now } = side;
  const before = state(sent);
  const step = machine.step(terms as never, before, event, now);
  if (step === 'stay') return '-';
  const { progress, effects } = step;
  const requests = effects.filter((effect) => effect.do === 'evm.send').map(() => 'asked for');
  if (progress.at !== before.at) return over[purpose][progress.at] ?? progress.at;
  const isSent = isOnItsWay(progress);
  const mark = isSent === isOnItsWay(before) ? [] : [isSent ? 'on its way' : 'not on its way'];
  return [...mark, ...requests].join(', ') || '-';
}

/** All that is not the same for both, and why. */
function mayDiffer(purpose: Purpose, sent: string | null, event: string): boolean {
  // What failed counts as on its way to a provider until its block is buried: it has more locks than one to tell of.
  if (purpose === 'claim') return event === 'ours mined and failed' && sent !== null;
  // A provider's refund that failed may still take the place of a claim in a block that goes: no other one is made
  // before that is over.
  if (event === 'ours mined and failed') return sent !== null;
  // Whoever shows the preimage has paid: a client is told by the first look, a provider claims with it once its own
  // refund cannot win.
  return event.startsWith('seen redeemed');
}

describe.each(['claim', 'refund'] as const)('a %s', (purpose) => {
  const { provider, client } = sides[purpose];

  test.each([
    ['nothing signed', null],
    ['signed', own],
  ])('%s, goes on in one way for provider and client, whatever happens', (_, sent) => {
    const ofClient = eventsOf(client);
    const differ = Object.entries(eventsOf(provider)).flatMap(([name, event]) => {
      const one = outcome(provider, purpose, sent, event);
      const other = outcome(client, purpose, sent, ofClient[name] ?? event);
      return one === other || mayDiffer(purpose, sent, name) ? [] : [`${name}: provider ${one}, client ${other}`];
    });
    expect(differ).toEqual([]);
  });
});
