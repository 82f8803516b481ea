import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { confirmations } from '../../../engine/adapters/bitcoin/confirm.ts';
import { readTransaction } from '../../../engine/adapters/bitcoin/raw.ts';
import type { SourceState } from '../../../engine/adapters/bitcoin/source-state.ts';
import type { Txid } from '../../../engine/domain/outpoint.ts';

/** One input, one output with a script of that many bytes. */
function transactionOf(scriptLength: number): { readonly txid: Txid; readonly bytes: Uint8Array } {
  const script = Buffer.alloc(scriptLength, 0x6a);
  const bytes = Uint8Array.from(
    Buffer.concat([
      Buffer.from('0200000001', 'hex'),
      randomBytes(32),
      Buffer.from('0000000000ffffffff01e803000000000000fe', 'hex'),
      Buffer.from(Uint32Array.of(script.length).buffer),
      script,
      Buffer.alloc(4),
    ]),
  );
  return { txid: readTransaction(bytes).txid, bytes };
}

/** What is asked of an Esplora server that shows these transactions. */
function sceneOf(all: readonly { readonly txid: Txid; readonly bytes: Uint8Array }[]) {
  const questions: Txid[] = [];
  const byTxid = new Map(all.map((one) => [one.txid, one]));
  const port = {
    transaction(txid: Txid) {
      questions.push(txid);
      return Promise.resolve({ bytes: byTxid.get(txid)?.bytes ?? new Uint8Array(), height: null });
    },
  };
  const state = { source: { kind: 'public', port } } as unknown as SourceState;
  const own = confirmations({ chain: {} as never, authority: [], ready: undefined as never, caught: () => undefined });
  return { questions, look: (txid: Txid) => own.shown(state, txid), own, state };
}

test('fault 177, bitcoin: of large transactions few stay in memory, of small ones many', async () => {
  const large = Array.from({ length: 40 }, () => transactionOf(390_000));
  const small = Array.from({ length: 400 }, () => transactionOf(100));
  const { questions, look } = sceneOf([...large, ...small]);
  for (const { txid } of large) await look(txid);
  questions.length = 0;
  for (const { txid } of large.toReversed()) await look(txid);
  expect(questions.length).toBeGreaterThan(25);
  for (const { txid } of small) await look(txid);
  questions.length = 0;
  for (const { txid } of small) await look(txid);
  expect(questions).toEqual([]);
});

test('fault 177, bitcoin: an output that is remembered holds no byte of the rest of its transaction', async () => {
  const one = transactionOf(100);
  const { own, state } = sceneOf([one]);
  const output = await own.output(state, { txid: one.txid, vout: 0 });
  expect([output?.amount, output?.script.length, output?.script.buffer.byteLength]).toEqual([1_000n, 100, 100]);
});
