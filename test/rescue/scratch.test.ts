import { expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import type { RescueEntry, StoredSwap } from '../../engine/legs/rescue.ts';
import { knows, restore } from '../../engine/rescue/scratch.ts';
import { createPartialNotes } from '../../engine/store/partial-notes.ts';
import { noExitPaths } from '../../engine/rescue/exit-paths.ts';
import { createSealer } from '../../engine/store/sealer.ts';
import { hash, lightningArkadeTerms, preimage, start } from '../swap/cases.ts';
import { everyCase } from '../taker/every-case.ts';

const noPorts = { arkade: null, lightning: null, bitcoin: null };
const state = {
  at: 'refunding',
  lock: { txid: 'ab'.repeat(32), vout: 0 },
  refundTxid: null,
  bolt11: 'lnbcrt1',
  invoiceExpiresAt: 1_760_001_800,
  expiryHeight: 900_144,
};

const swap = (id: string, change: Partial<StoredSwap> = {}, shown = false): RescueEntry => ({
  id,
  direction: 'lightning-arkade',
  role: 'service',
  secret: shown ? preimage : null,
  claim: { on: 'lightning', hash },
  refund: null,
  shown,
  stored: {
    createdAt: start,
    status: 'serverfunded',
    valueSats: 100_000n,
    terms: lightningArkadeTerms,
    progress: state,
    termsVersion: 1,
    progressVersion: 1,
    secret: null,
    transactions: [],
    ...change,
  },
});

const none = createPartialNotes({ path: null, sealer: createSealer(new Uint8Array(32)) });
const of = (...swaps: RescueEntry[]) =>
  restore(swaps, { ports: noPorts, wall: () => unix(start), pollMs: 1_000, partials: none, exitPaths: noExitPaths });

test('what its state owes is in the outbox, though the bundle holds none', async () => {
  const { store, ids } = await of(swap('one'));
  expect([ids, store.effects.waiting().map(({ subject, effect }) => [subject, effect.do])]).toEqual([
    ['one'],
    [['one', 'vhtlc.refund']],
  ]);
  store.close();
});

test('a swap that no machine can go on with is left to its legs, and keeps no other one from going on', async () => {
  const { store, ids, refusals } = await of(
    { ...swap('by the chain'), stored: null },
    { ...swap('unknown'), direction: 'gold-silver' },
    swap('damaged', { progress: { at: 'nowhere' } }),
    swap('newer', { progressVersion: 7 }),
    swap('well'),
  );
  expect([ids, [...refusals]]).toEqual([
    ['well'],
    [
      ['by the chain', 'the bundle holds no state of it'],
      ['unknown', 'this build knows no swaps of gold-silver'],
      ['damaged', expect.stringMatching(/^its state cannot be read/)],
      ['newer', 'its state cannot be read (it was saved in version 7, this build knows 1 to 1)'],
    ],
  ]);
  store.close();
});

test('a secret that was seen while the state stood still may have been shown, whatever the state knows', async () => {
  // As client: of what it gave itself it notes nothing when its database is old.
  const { machine, terms, first } = everyCase['lightning-arkade'];
  const stored = {
    ...{ terms, progress: first, status: 'pending' as const },
    ...{ termsVersion: machine.shape.terms.version, progressVersion: machine.shape.progress.version },
  };
  const one = (id: string, isShown: boolean) => ({
    ...swap(id, stored, isShown),
    ...{ direction: machine.name, role: 'client' as const },
  });
  const { store, core } = await of(one('seen', true), one('not seen', false));
  const noted = ['seen', 'not seen'].map((id) => store.intents.has('payment', id));
  expect([noted, knows('seen', core)]).toEqual([[true, false], false]);
  store.close();
});
