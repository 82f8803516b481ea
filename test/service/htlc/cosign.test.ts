import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hex } from '@scure/base';
import { Transaction } from 'bitcoinjs-lib/src/transaction';
import { afterEach, expect, test } from 'vitest';
import { asPreimage } from '../../../engine/domain/hash.ts';
import { sats } from '../../../engine/domain/money.ts';
import { newNonce } from '../../../engine/legs/musig.ts';
import { htlcScript, type MusigHtlcTerms } from '../../../engine/legs/onchain/htlc.ts';
import { jointKeyOf, readKeySpend, refundAsk } from '../../../engine/legs/onchain/key-spend.ts';
import { publicKeyOf, schnorrSign } from '../../../engine/legs/secp256k1.ts';
import type { ServiceContext } from '../../../engine/service/context.ts';
import { cooperativeClaim, cooperativeRefund, countGiven } from '../../../engine/service/htlc/cosign.ts';
import { signedKeySpend } from '../../support/key-spend.ts';
import { scriptFault } from '../../../engine/sandbox/world/bitcoin/interpreter.ts';
import { parseTx } from '../../../engine/sandbox/world/bitcoin/tx.ts';
import { createPartialNotes } from '../../../engine/store/partial-notes.ts';
import { createSealer } from '../../../engine/store/sealer.ts';
import {
  evmBitcoin,
  type EvmBitcoinProgress,
  type EvmBitcoinTerms,
} from '../../../engine/swap/directions/evm-bitcoin.ts';
import type { Event } from '../../../engine/swap/machine.ts';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { turns } from '../../store/support.ts';
import { preimage, start } from '../../swap/cases.ts';
import { jointTerms, lockedCoin, overdueAt, refundHeight } from '../../swap/cosign-cases.ts';
import { clocksOf, evmBitcoinTerms } from '../../swap/evm-bitcoin-cases.ts';

const server = new Uint8Array(32).fill(1);
const user = new Uint8Array(32).fill(2);
const joint: MusigHtlcTerms = {
  form: 'musig',
  hash: evmBitcoinTerms.htlc.hash,
  claimer: publicKeyOf(user),
  refunder: publicKeyOf(server),
  provider: 'refunder',
  sizeGuard: true,
  refundHeight,
};
const { pkScript } = htlcScript(joint);
const amount = sats(100_000);
const id = 'swap';

const funding = new Transaction();
funding.version = 2;
funding.addInput(new Uint8Array(32).fill(7), 0);
funding.addOutput(pkScript, amount);
/** Of somebody else, with many outputs. */
const other = new Transaction();
other.version = 2;
other.addInput(new Uint8Array(32).fill(8), 0);
for (let i = 0; i < 200; i++) other.addOutput(hex.decode(`0014${'44'.repeat(20)}`), 1_000n);

const coin = { txid: funding.getId(), vout: 0, amount };

const ending: (() => void)[] = [];
afterEach(() => {
  for (const end of ending.splice(0)) end();
});

function spendTx(sum = 99_000n, of = coin): Transaction {
  const tx = new Transaction();
  tx.version = 2;
  tx.addInput(hex.decode(of.txid).reverse(), of.vout, 0xfffffffd);
  tx.addOutput(hex.decode(`0014${'33'.repeat(20)}`), sum);
  return tx;
}

/** A node with one swap whose coin lies at the HTLC; `acts` is what it did, in its order. */
function node(change: { progress?: EvmBitcoinProgress; terms?: MusigHtlcTerms; folder?: string; late?: boolean } = {}) {
  const folder = change.folder ?? mkdtempSync(join(tmpdir(), 'sluice-cosign-'));
  if (change.folder === undefined) ending.push(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'partials');
  const notes = createPartialNotes({ path, sealer: createSealer(new Uint8Array(32).fill(1)) });
  const acts: string[] = [];
  const questions: string[] = [];
  const terms = jointTerms(evmBitcoinTerms);
  const locked = { ...lockedCoin, output: { txid: coin.txid, vout: coin.vout } } as EvmBitcoinProgress;
  const row = {
    id,
    machine: 'evm-bitcoin',
    open: true,
    status: 'serverfunded',
    terms: { ...terms, htlc: joint } as unknown as EvmBitcoinTerms,
    progress: change.progress ?? locked,
  };
  const entry = { row, machine: evmBitcoin };
  const runtime = {
    workingSet: { find: (of: string) => (of === id ? entry : null) },
    store: {
      partials: {
        ...notes,
        note(note: Parameters<typeof notes.note>[0]) {
          const noted = notes.note(note);
          acts.push(`noted ${note.purpose}`);
          return noted;
        },
      },
      intents: { note: () => undefined },
    },
    clock: { now: () => (change.late === true ? overdueAt(start, start) : clocksOf(start, start)) },
    commits: {
      deliver(_: string, event: Event) {
        const outcome = evmBitcoin.step(row.terms, row.progress, event, clocksOf(start, start));
        if (outcome === 'stay') return 'stayed';
        row.progress = outcome.progress;
        acts.push(`saved ${event.is}${outcome.learned === undefined ? '' : ' with its secret'}`);
        return 'moved';
      },
      onCommit: () => () => undefined,
    },
    ports: {
      bitcoin: {
        glance(txid: string) {
          questions.push(txid);
          const made = [funding, other].find((one) => one.getId() === txid);
          return Promise.resolve(made === undefined ? null : { bytes: made.toBuffer(), height: 1 });
        },
      },
      bitcoinWallet: {
        cosignHtlc(ask: { theirs: Uint8Array; spend: { sighash: Uint8Array } }) {
          acts.push('signed');
          const nonce = newNonce(jointKeyOf(joint), ask.spend.sighash, server);
          return Promise.resolve({ shown: nonce.shown, partial: nonce.sign(ask.theirs, server)?.partial });
        },
      },
    },
  };
  const context = {
    runtime,
    directions: { of: () => ({ htlc: () => ({ terms: change.terms ?? joint, keyIndex: 3, latePayment: null }) }) },
  } as unknown as ServiceContext;
  return { context, acts, questions, row, folder, notes };
}

function nonceFor(tx: Transaction) {
  const spend = readKeySpend(joint, coin, {
    transaction: tx.toBuffer(),
    index: 0,
    prevouts: [{ script: pkScript, amount }],
  });
  if (typeof spend === 'string') throw new Error(spend);
  return { spend, nonce: newNonce(jointKeyOf(joint), spend.sighash, user) };
}
const ask = (tx = spendTx(), nonce = nonceFor(spendTx()).nonce) => ({
  publicNonce: nonce.shown,
  transaction: tx.toBuffer(),
  index: 0,
  preimage,
});

/** The same of a refund, which the client's key asks for. */
const askBack = (tx = spendTx(), secret = user) => ({
  ...ask(tx),
  signature: schnorrSign(refundAsk(nonceFor(tx).spend), secret),
});

test('a claim is noted, saved with its secret, signed and answered, in this order; the chain takes it', async () => {
  const { context, acts, row } = node();
  const { spend, nonce } = nonceFor(spendTx());
  const answer = await cooperativeClaim(context, id, ask(spendTx(), nonce));
  if (isRefusal(answer)) throw new Error(answer.sentence);
  expect(acts).toEqual(['noted claim', 'saved cosign.given with its secret', 'signed']);
  expect(row.progress.at).toBe('claiming');
  const signature = nonce.sign(answer.publicNonce, user)?.join(answer.partial) ?? expect.fail('it joins');
  expect(scriptFault(parseTx(signedKeySpend(spend, 0, signature)), [{ script: pkScript, amount }] as never)).toBeNull();
});

test('it may be asked for again: another nonce each time, and no more transactions than are kept', async () => {
  const { context } = node();
  const nonces = new Set<string>();
  for (let sum = 99_000n; sum < 99_020n; sum++) {
    const answer = await cooperativeClaim(context, id, ask(spendTx(sum)));
    if (isRefusal(answer)) throw new Error(answer.sentence);
    nonces.add(hex.encode(answer.publicNonce));
  }
  expect(nonces.size).toBe(20);
  expect(await cooperativeClaim(context, id, ask(spendTx(98_000n)))).toMatchObject({ refusal: 'forbidden' });
});

test.each([
  ['another secret', { ...ask(), preimage: asPreimage(new Uint8Array(32).fill(9)) }, 'invalid'],
  ['a nonce that is none', { ...ask(), publicNonce: new Uint8Array(66) }, 'invalid'],
  ['no transaction', { ...ask(), transaction: new Uint8Array(20) }, 'invalid'],
  ['an input that it has not', { ...ask(), index: 3 }, 'invalid'],
  ['a coin that is on no chain', { ...ask(spendTx(99_000n, { ...coin, txid: '99'.repeat(32) })) }, 'invalid'],
] as const)('nothing is noted, saved or signed for a claim with %s', async (_, request, refusal) => {
  const { context, acts } = node();
  expect(await cooperativeClaim(context, id, request)).toMatchObject({ refusal });
  expect(acts).toEqual([]);
});

test('a transaction of many coins costs the chain few questions, and one of none of the swap a single one', async () => {
  const taking = (most: number, first: Transaction): Transaction => {
    for (let vout = 0; vout < most; vout++) first.addInput(hex.decode(other.getId()).reverse(), vout, 0xfffffffd);
    return first;
  };
  const foreign = new Transaction();
  foreign.addOutput(hex.decode(`0014${'33'.repeat(20)}`), 900n);
  const cases = [taking(100, spendTx()), taking(100, foreign), taking(101, spendTx())];
  const outcomes = [];
  for (const tx of cases) {
    const { context, questions } = node();
    const answer = await cooperativeClaim(context, id, ask(tx));
    outcomes.push([isRefusal(answer) ? answer.refusal : 'signed', questions.length]);
  }
  expect(outcomes).toEqual([
    ['signed', 2],
    ['invalid', 1],
    ['invalid', 0],
  ]);
});

test('fault 304, bitcoin: a coin that nothing is signed for costs the chain one question', async () => {
  const many = spendTx();
  for (let vout = 0; vout < 99; vout++) many.addInput(hex.decode(other.getId()).reverse(), vout, 0xfffffffd);
  many.addInput(new Uint8Array(32).fill(9), 0, 0xfffffffd);
  const foreignCoin = node({ progress: { ...lockedCoin, output: { txid: coin.txid, vout: 1 } } as EvmBitcoinProgress });
  const closed = node();
  void closed.notes.noteOwn({ subject: id, coin: { txid: coin.txid, vout: coin.vout }, purpose: 'refund' });
  const signed = node();
  for (let sum = 99_000n; sum < 99_020n; sum++) await cooperativeClaim(signed.context, id, ask(spendTx(sum)));
  signed.questions.length = 0;
  const outcomes = [];
  for (const { context, questions } of [foreignCoin, closed, signed])
    outcomes.push([await cooperativeClaim(context, id, ask(many)), questions]);
  const refused = [expect.objectContaining({ refusal: 'forbidden' }), [coin.txid]];
  expect(outcomes).toEqual([refused, refused, refused]);
});

test('nothing is signed to the other side of a coin', async () => {
  const { context, acts } = node();
  expect(await cooperativeRefund(context, id, askBack())).toMatchObject({ refusal: 'forbidden' });
  const theirs = node({ terms: { ...joint, provider: 'claimer' } });
  expect(await cooperativeClaim(theirs.context, id, ask())).toMatchObject({ refusal: 'forbidden' });
  expect([acts, theirs.acts]).toEqual([[], []]);
});

test('no claim is signed once a refund of ours is asked for, or was noted in a life that this copy forgot', async () => {
  const first = node();
  first.context.runtime.commits.deliver(id, { is: 'clock' });
  const step = evmBitcoin.step(first.row.terms, first.row.progress, { is: 'clock' }, overdueAt(start, start));
  if (step === 'stay') throw new Error('the refund opens');
  const refunding = node({ progress: step.progress });
  expect(await cooperativeClaim(refunding.context, id, ask())).toMatchObject({ refusal: 'forbidden' });
  expect(refunding.acts).toEqual([]);
  const copy = node();
  void copy.notes.noteOwn({ subject: id, coin: { txid: coin.txid, vout: coin.vout }, purpose: 'refund' });
  expect(await cooperativeClaim(copy.context, id, ask())).toMatchObject({ refusal: 'forbidden' });
  expect(copy.acts).toEqual([]);
});

test('nothing is signed that could not be noted', async () => {
  const { context, acts, folder } = node();
  writeFileSync(join(folder, 'shut'), '');
  const { partials } = context.runtime.store;
  await expect(partials.alsoAt(() => [join(folder, 'shut', 'a.partials')], turns())).rejects.toThrow('a.partials');
  expect(await cooperativeClaim(context, id, ask())).toMatchObject({ refusal: 'unavailable' });
  expect(acts).toEqual([]);
});

test('dead between note and answer, or put back to before: a copy that finds the note treats it as given', async () => {
  const first = node();
  first.context.runtime.commits.deliver = () => {
    throw new Error('it died here');
  };
  await expect(cooperativeClaim(first.context, id, ask())).rejects.toThrow('it died here');
  expect(first.acts).toEqual(['noted claim']);
  const again = node({ folder: first.folder });
  const { runtime } = again.context;
  expect(again.row.progress.at).toBe('locked');
  countGiven({ ...runtime, store: { ...runtime.store, partials: again.notes } } as never);
  expect(again.acts).toEqual(['saved cosign.given with its secret']);
  expect(again.row.progress).toMatchObject({ at: 'claiming', cosign: true });
  const { spend, nonce } = nonceFor(spendTx());
  const answer = await cooperativeClaim(again.context, id, ask(spendTx(), nonce));
  if (isRefusal(answer)) throw new Error(answer.sentence);
  const signature = nonce.sign(answer.publicNonce, user)?.join(answer.partial) ?? null;
  expect(signature === null ? null : signedKeySpend(spend, 0, signature)).not.toBeNull();
});
