import { afterEach, expect, test, vi } from 'vitest';
import type { TakerDirection } from '../../engine/domain/chain.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { ownJointNote } from '../../engine/runtime/networks/onchain/fence.ts';
import { evmOf } from '../../engine/runtime/ports.ts';
import { anyFailure } from '../support/failure.ts';
import { evmNetworkOfWorld } from '../support/node-evm.ts';
import { openSwap, pastLocktime, pay, stageOf, swapOf, within, type Stage } from './by-half.ts';

/* The provider's lock is to be claimed, and its network says nothing more, before anything was signed or shown. */

vi.setConfig({ testTimeout: 180_000 });

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.stop();
  stage = undefined;
});

/** The call by which the claim is begun, before it shows or signs anything: its network is silent from then on. */
const firstCall = {
  arkade: 'arkade.prepareClaim',
  bitcoin: 'bitcoinWallet.prepareHtlcSpend',
  evm: 'evm.isActive',
} as const;
const chainCalls = ['tip', 'heads', 'events', 'receipt', 'isActive', 'nonces', 'gasFees', 'simulate', 'read'] as const;

/** A swap whose claim can be neither judged nor made, past the moment from which on what was given can come back. */
async function silentAt(direction: TakerDirection, gasless = true, before = (_: string) => {}): Promise<string> {
  const on = direction.slice(direction.indexOf('-') + 1) as keyof typeof firstCall;
  stage = await stageOf([direction], { untilMs: 60_000 });
  const { pair } = stage;
  let id = '';
  let isAway = false;
  function onBoundary(what: string, moment: 'before' | 'after'): void {
    if (moment !== 'before') return;
    isAway ||= what === firstCall[on] && id !== '' && pair.taker.at(id) === 'claiming';
    if (isAway && what.startsWith(on)) throw anyFailure('away', 'safe', 'nobody answers');
  }
  await pair.restartTaker({ onBoundary });
  if (on === 'evm') {
    const port = evmOf(pair.taker.ports, evmNetworkOfWorld);
    for (const name of chainCalls) {
      const call = port[name].bind(port) as (...args: never[]) => Promise<never>;
      vi.spyOn(port, name).mockImplementation(async (...args: unknown[]): Promise<never> => {
        onBoundary(`evm.${name}`, 'before');
        return call(...(args as never[]));
      });
    }
  }
  const opened = await openSwap(stage, direction, { gasless });
  ({ id } = opened);
  await pay(stage, opened);
  await within(stage, direction, [() => isAway, 'its claim is asked for']);
  before(id);
  await pastLocktime(stage, opened.deal);
  return id;
}

/** Of a life that the state has forgotten. */
function noteShown(id: string): void {
  const { intents, partials, swaps } = stage!.pair.taker.store;
  const { target } = swaps.byId(id)?.progress as unknown as { target: { coin?: { outpoint?: Outpoint } } };
  const coin = target.coin?.outpoint;
  if (coin === undefined) return intents.note('payment', id, null);
  const [sighash, outputs, bytes] = [new Uint8Array(32), new Uint8Array(32), new Uint8Array(90)];
  const spend = { txid: 'ab'.repeat(32), sighash, outputs, bytes };
  void partials.note(ownJointNote({ coin, purpose: 'claim' }, spend, { subject: id }));
}

async function comesBack(way: TakerDirection, gasless = true): Promise<void> {
  const id = await silentAt(way, gasless);
  await within(stage!, way, [() => stage?.pair.taker.at(id) === 'done', 'what was given is back']);
  const { outcome, transactions } = swapOf(stage!.pair, id);
  const own = transactions.filter(({ whose }) => whose === 'you').map(({ what }) => what);
  expect({ outcome, own }).toEqual({ outcome: 'returned', own: ['fund', 'refund'] });
}

async function goesOn(way: TakerDirection): Promise<void> {
  const id = await silentAt(way, true, noteShown);
  const { taker } = stage!.pair;
  const tries = () => taker.store.effects.of(id)[0]?.attempts ?? -1;
  const before = tries();
  await expect.poll(tries, { timeout: 60_000 }).toBeGreaterThan(before + 1);
  expect(taker.at(id)).toBe('claiming');
}

test.each(['bitcoin-arkade', 'evm-arkade'] as const)(
  'fault 183, arkade: %s, while the operator says nothing more, what was given comes back',
  (way) => comesBack(way),
);

test('fault 183, bitcoin: while no source says anything more, what was given comes back', () =>
  comesBack('evm-bitcoin'));

test.each([
  ['arkade-evm', true],
  ['bitcoin-evm', false],
] as const)('fault 183, evm: %s, while no RPC says anything more, what was given comes back', comesBack);

test('fault 183, arkade: a claim whose secret may be out goes on, however silent the operator', () =>
  goesOn('evm-arkade'));

test('fault 183, bitcoin: a claim whose secret may be out goes on, however silent the sources', () =>
  goesOn('evm-bitcoin'));

test('fault 183, evm: a claim whose secret may be out goes on, however silent the RPCs', () => goesOn('arkade-evm'));
