import { expect, test } from 'vitest';
import { packPrepared, unpackPrepared } from '../../../engine/adapters/arkade/prepared.ts';
import type { Prepared } from '../../../engine/adapters/arkade/prepared.ts';

const prepared: Prepared = {
  txid: 'ab'.repeat(32),
  inputs: [{ txid: 'cd'.repeat(32), vout: 1 }],
  output: { txid: 'ab'.repeat(32), vout: 0, amount: 2_100_000_000_000_000n },
  arkTx: Uint8Array.of(1, 2, 3),
  bare: [Uint8Array.of(4)],
  signed: [Uint8Array.of(5, 6)],
  key: { branch: 'swap', index: 7 },
  accepted: null,
  whole: null,
};

test('prepared bytes are read back as they were, before and after the operator accepted', () => {
  const accepted = { ...prepared, key: null, accepted: [Uint8Array.of(7)], whole: Uint8Array.of(8) };
  expect([unpackPrepared(packPrepared(prepared)), unpackPrepared(packPrepared(accepted))]).toEqual([
    prepared,
    accepted,
  ]);
});

test('bytes of another form are refused instead of sent', () => {
  const other = new TextEncoder().encode(new TextDecoder().decode(packPrepared(prepared)).replace('"v":1', '"v":2'));
  for (const bytes of [other, Uint8Array.of(1, 2)])
    expect(() => unpackPrepared(bytes)).toThrow(expect.objectContaining({ code: 'bad-prepared', retry: 'never' }));
});
