import { describe, expect, test } from 'vitest';
import { rescueActs } from '../../engine/rescue/acts.ts';
import { NotYet } from '../../engine/runtime/not-yet.ts';
import { actOf, type EveryAct } from '../../engine/runtime/networks/acts.ts';
import type { Contexts } from '../../engine/runtime/networks/contexts.ts';
import { encode } from '../../engine/store/codec.ts';
import type { Effect, Event } from '../../engine/swap/machine.ts';
import { clocksAt, start } from '../swap/cases.ts';
import { explore } from '../swap/explore.ts';
import { everyCase as providers, type AnyCase } from '../swap/every-case.ts';
import { everyCase as clients } from '../taker/every-case.ts';

/*
 * Whatever state a bundle holds, the machine that goes on from it asks for what it owes, locks and payments among it.
 * In a rescue nobody gives them.
 */

const cases = [...Object.values(providers), ...Object.values(clients)] as unknown as readonly AnyCase[];

/** What brings home: all else gives something, or asks somebody to. */
function bringsHome(effect: Effect): boolean {
  switch (effect.do) {
    case 'hold.settle':
    case 'hold.cancel':
    case 'vhtlc.claim':
    case 'vhtlc.refund':
    case 'vhtlc.settle':
    case 'vhtlc.exit':
    case 'htlc.spend':
    case 'htlc.resend':
    case 'evm.read-arrival':
      return true;
    case 'evm.send':
      return ['claim', 'refund', 'taker-claim', 'taker-refund'].includes(effect.act.is);
    default:
      return false;
  }
}

const acts = rescueActs({ during: (_, act) => act(), isShown: () => false });
const actsOfShown = rescueActs({ during: (_, act) => act(), isShown: () => true });

/** What takes back what we gave. */
function takesBack(effect: Effect): boolean {
  if (effect.do === 'evm.send') return effect.act.is === 'refund' || effect.act.is === 'taker-refund';
  return effect.do === 'vhtlc.refund' || ('purpose' in effect && effect.purpose === 'refund');
}

/** What an act asked of a network, and what came of it. */
async function carriedOut(
  effect: Effect,
  state: 'unseen' | 'unknown',
  of: EveryAct = acts,
): Promise<{ calls: string[]; end: string }> {
  const calls: string[] = [];
  const ends: string[] = [];
  const port = (name: string): object =>
    new Proxy(
      {},
      {
        get: (_, call) => async () => {
          calls.push(`${name}.${String(call)}`);
          return call === 'state' ? state : null;
        },
      },
    );
  const ports = {
    arkade: port('arkade'),
    bitcoin: port('bitcoin'),
    lightning: port('lightning'),
    'evm:137': port('evm'),
  };
  const context = {
    ports,
    row: { subject: 'a swap' },
    answer: (event: Event) => void ends.push(event.is),
    // Signed by the node that is gone, whatever it is.
    store: { transactions: { bytes: () => new Uint8Array(10), byId: () => ({ purpose: 'fund', state: 'prepared' }) } },
  };
  const contexts = Object.fromEntries(
    ['lightning', 'arkade', 'onchain', 'evm', 'provider'].map((network) => [network, context]),
  ) as unknown as Contexts;
  try {
    await actOf(effect, of).run(effect, contexts);
  } catch (cause) {
    if (!(cause instanceof NotYet)) throw cause;
    ends.push('waits');
  }
  return { calls, end: ends.join() };
}

/** Of every side and direction together. */
const effects = new Set<string>();

describe.each(cases.map((one) => [one.machine.name, one] as const))('%s', (_, { machine, terms, ...of }) => {
  const given = new Map<string, Effect>();
  const refunds = new Map<string, Effect>();
  for (const progress of explore({ machine, terms, ...of }).states)
    for (const effect of machine.resume?.(terms, progress, clocksAt(start)).effects ?? [])
      if (!bringsHome(effect)) given.set(encode(effect), effect);
      else if (takesBack(effect)) refunds.set(encode(effect), effect);

  test('what it owes in any state is neither locked, paid, funded nor asked of anybody', async () => {
    for (const effect of given.values()) {
      effects.add(effect.do === 'evm.send' ? effect.act.is : effect.do);
      for (const state of ['unseen', 'unknown'] as const) {
        const { calls, end } = await carriedOut(effect, state);
        // Whether the operator, or a block, has it already is asked.
        expect(
          calls.filter((call) => call !== 'arkade.state' && call !== 'bitcoin.spend'),
          effect.do,
        ).toEqual([]);
        expect(['waits', 'payment.refused', 'provider.declined', 'provider.claim-withheld'], effect.do).toContain(end);
      }
    }
  });

  test('what a secret was seen to be out for is not taken back', async () => {
    for (const effect of refunds.values())
      expect(await carriedOut(effect, 'unseen', actsOfShown), effect.do).toEqual({ calls: [], end: 'waits' });
  });
});

test('every kind of lock, payment and request is among them', () => {
  expect([...effects].sort()).toEqual([
    'htlc.fund',
    'lock',
    'onchain.broadcast',
    'pay',
    'provider.claim-evm',
    'provider.cosign',
    'provider.cosign-htlc',
    'provider.fund-evm',
    'provider.refund-evm',
    'taker-fund',
    'vhtlc.lock',
    'vhtlc.submit',
  ]);
});
