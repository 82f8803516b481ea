import { expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import type { Event } from '../../engine/swap/machine.ts';
import type { EffectOf } from '../../engine/runtime/networks/act.ts';
import type { ArkadeContext } from '../../engine/runtime/networks/arkade/context.ts';
import { prepareLock } from '../../engine/runtime/networks/arkade/lock.ts';
import type { OnchainContext } from '../../engine/runtime/networks/onchain/context.ts';
import { submit } from '../../engine/runtime/networks/arkade/submit.ts';
import { mayBeSent } from '../../engine/runtime/networks/onchain/first-send.ts';
import { sendEffect } from '../../engine/swap/halves/bitcoin/fund/effects.ts';
import { arkadeBitcoinTerms } from '../swap/arkade-bitcoin-cases.ts';
import { bitcoinArkadeTerms as t } from '../swap/bitcoin-arkade-cases.ts';
import { clocksAt, coin } from '../swap/cases.ts';
import { height, payment } from '../swap/evm-bitcoin-cases.ts';
import { lockEffect } from '../../engine/swap/halves/arkade/fund/locking.ts';
import { createEvmChain } from '../support/evm-chain.ts';
import { evmScene, network, ours, secret, until } from './evm/scene.ts';

/*
 * A database that was restored from a backup knows nothing of a refund that was signed since: its client has that, and
 * may use it any day. Nothing is given for what it may take back (facts/faults.md 5).
 */

const inDoubt = /restored from a backup, and the refund of this swap may have been signed since/;

/** What Arkade's wallet is asked for a lock, and what it answers to the swap. */
async function lockOnArkade(before: readonly string[], coins: readonly object[] = []) {
  const answers: Event[] = [];
  const calls: string[] = [];
  const context = {
    ports: {
      arkade: {
        coins: async () => coins,
        prepareFund: async () => {
          calls.push('prepareFund');
          throw new Error('it is not to be signed');
        },
      },
    },
    store: { intents: { has: (act: string) => before.includes(act) }, transactions: { reservedCoins: () => [] } },
    row: { subject: 'a swap', attempts: 0 },
    unpaid: { full: () => null },
    alone: (_: unknown, act: () => Promise<void>) => act(),
    answer: (event: Event) => answers.push(event),
  } as unknown as ArkadeContext;
  const effect = lockEffect(t) as EffectOf<'vhtlc.lock'>;
  await prepareLock(effect, context).catch(() => undefined);
  return { answers, calls };
}

test('fault 5: no VHTLC is made for a swap whose refund may have been signed', async () => {
  expect(await lockOnArkade(['refund'])).toEqual({
    answers: [
      expect.objectContaining({
        is: 'vhtlc.refused',
        purpose: 'lock',
        reason: expect.stringMatching(inDoubt) as string,
      }),
    ],
    calls: [],
  });
  expect(await lockOnArkade([])).toEqual({ answers: [], calls: ['prepareFund'] });
});

test('fault 5: a VHTLC that such a database forgot is taken for what it is', async () => {
  const { answers } = await lockOnArkade(['refund'], [coin({ amount: t.targetAmount })]);
  expect(answers).toMatchObject([{ is: 'vhtlc.seen', coins: [{ amount: t.targetAmount }] }]);
});

/** Whether a VHTLC that was prepared is handed to the operator, and what its swap is told. */
async function submitted(before: readonly string[], state: 'unseen' | 'accepted' = 'unseen', wall = t.lockBefore) {
  const answers: Event[] = [];
  const calls: string[] = [];
  const context = {
    ports: {
      arkade: {
        state: async () => state,
        async submit() {
          calls.push('submit');
          return { is: 'accepted', bytes: new Uint8Array() };
        },
      },
    },
    store: { intents: { has: (act: string) => before.includes(act) }, transactions: { bytes: () => new Uint8Array() } },
    row: { subject: 'a swap' },
    judge: { forbidden: () => Promise.resolve(null), stillWanted: () => Promise.resolve() },
    clock: { now: () => clocksAt(wall) },
    together: (act: () => void) => Promise.resolve(act()),
    answer: (event: Event) => answers.push(event),
  } as unknown as ArkadeContext;
  const onlyIf = { notAfter: t.lockBefore };
  await submit({ do: 'vhtlc.submit', purpose: 'lock', txid: coin().outpoint.txid, onlyIf }, context);
  return { calls, answers };
}

test('fault 158: a VHTLC that was prepared before is not sent once the refund may have been signed', async () => {
  const refusal = {
    is: 'vhtlc.refused',
    purpose: 'lock',
    why: 'late',
    reason: expect.stringMatching(inDoubt) as string,
  };
  expect(await submitted(['refund'])).toMatchObject({ calls: [], answers: [refusal] });
  await expect(submitted(['refund'], 'accepted', unix(t.lockBefore + 1))).rejects.toMatchObject({
    code: 'lock-unpaid',
    message: expect.stringMatching(inDoubt) as string,
  });
  for (const sent of [await submitted([]), await submitted(['refund'], 'accepted')])
    expect(sent).toMatchObject({ calls: ['submit'], answers: [{ is: 'vhtlc.accepted' }] });
});

test('fault 5: no lock is made on an EVM chain for a swap whose refund may have been signed', async () => {
  const chain = createEvmChain(network);
  chain.give(null, ours, 10n ** 18n);
  chain.give(chain.token, ours, 1_000_000n);
  const scene = await evmScene({ chain });
  const port = chain.port(secret);
  scene.store.intents.note('refund', 'a0000000-0000-4000-8000-000000000011', null);
  const id = scene.open([scene.effectOf({ is: 'lock', lock: scene.lock() })]);
  expect(await until(() => scene.heard(id, 'evm.refused')[0] ?? scene.heard(id, 'evm.prepared')[0])).toMatchObject({
    is: 'evm.refused',
    purpose: 'lock',
    reason: expect.stringMatching(inDoubt) as string,
  });
  expect((await port.nonces()).pending).toBe(0);
});

/** Whether a funding that was signed and never sent is sent now, and what its swap is told. */
async function firstSend(before: readonly string[]) {
  const answers: Event[] = [];
  const begun: string[] = [];
  const effect = sendEffect(arkadeBitcoinTerms, { payment, height }) as EffectOf<'onchain.broadcast'>;
  const context = {
    store: {
      intents: { has: (act: string) => before.includes(act), note: (act: string) => begun.push(act) },
      transactions: { byId: () => ({ state: 'prepared' }), accepted: () => undefined },
    },
    clock: { now: () => ({ wall: 0 }) },
    row: { subject: 'a swap' },
    judge: { forbidden: () => Promise.resolve(null) },
    answer: (event: Event) => answers.push(event),
  } as unknown as OnchainContext;
  const isSent = await mayBeSent(effect, { notAfter: arkadeBitcoinTerms.lockBefore }, sending, context);
  return { isSent, answers, begun };
}
const sending = { bytes: new Uint8Array(), spend: null };

test('fault 5: a funding that was signed before is not sent once the refund may have been signed', async () => {
  expect(await firstSend(['refund'])).toEqual({
    isSent: false,
    answers: [
      expect.objectContaining({
        is: 'onchain.refused',
        why: 'late',
        reason: expect.stringMatching(inDoubt) as string,
      }),
    ],
    begun: [],
  });
  expect(await firstSend([])).toEqual({ isSent: true, answers: [], begun: ['payment'] });
});
