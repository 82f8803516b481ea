import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { firstRow } from '../../../engine/adapters/lnd/rpc.ts';

/** A stream as grpc-js has them: cancelled, it ends with an error of its own. */
class HangingStream extends EventEmitter {
  cancelled = 0;
  cancel(): void {
    this.cancelled++;
    this.emit('error', new Error('1 CANCELLED'));
  }
}

test('a stream that says nothing is left after its time and does not stay open', async () => {
  const stream = new HangingStream();
  await expect(firstRow(10, () => stream)).rejects.toThrow('CANCELLED');
  expect(stream.cancelled).toBe(1);
});

test('the first row is the answer, and the stream is left once', async () => {
  const stream = new HangingStream();
  const row = firstRow(10, () => stream);
  stream.emit('data', 'settled');
  expect(await row).toBe('settled');
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(stream.cancelled).toBe(1);
});
