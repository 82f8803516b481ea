import { connect } from 'node:net';
import { expect, it } from 'vitest';
import type { Door, DoorCall } from '../../engine/api/door.ts';
import { raw, request, serving } from './serve.ts';

/* What a door is told of the requests below its path. */

const never = new Promise<never>(() => undefined);

function doorThat(answer: Door['answer']): Door {
  return { cost: () => 0, answer, connect: () => ({ message: () => undefined, left: () => undefined }) };
}

async function portOf(door: Door): Promise<number> {
  return (await serving({ door: () => door })).server.port;
}

it('fault 265: a request to the door ends once its client has left', async () => {
  const calls: DoorCall[] = [];
  const port = await portOf(doorThat((call) => (calls.push(call), never)));
  const headers = { host: `127.0.0.1:${port}`, 'content-type': 'application/json' };
  const socket = connect(port, '127.0.0.1', () => socket.write(request('POST /v2/swap/restore', headers, '{}')));
  await expect.poll(() => calls.map(({ signal }) => signal.aborted)).toEqual([false]);
  socket.destroy();
  await expect.poll(() => calls.map(({ signal }) => signal.aborted)).toEqual([true]);
});

it.each([
  [4_000, 200],
  [4_001, 400],
])('fault 265: a body of %i values is answered %i', async (values, status) => {
  const port = await portOf(doorThat(async () => ({ status: 200, body: {} })));
  const headers = { host: `127.0.0.1:${port}`, 'content-type': 'application/json' };
  const body = `[${Array(values).fill('0').join(',')}]`;
  expect((await raw(port, request('POST /v2/swap/restore', headers, body))).status).toBe(status);
});
