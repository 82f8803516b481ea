import { expect, test } from 'vitest';
import { send, sendOurs, submit } from '../../../engine/adapters/bitcoin/core-send.ts';
import { RpcRefusal, type CoreRpc } from '../../../engine/adapters/bitcoin/json-rpc.ts';

const bytes = Uint8Array.of(1);

/** A node that takes packages with so many parameters. */
function nodeOf(parameters: number) {
  const calls: unknown[] = [];
  const rpc: CoreRpc = {
    name: 'a node',
    async call(method, params = []) {
      calls.push([method, params]);
      if (method === 'submitpackage' && params.length > parameters) throw new RpcRefusal(method, -1, 'submitpackage [');
      return {};
    },
    batch: async () => [],
  };
  return { rpc, calls };
}

test("fault 273, bitcoin: any fee is ours to pay, and a stranger's goes by the node's own guard", async () => {
  const { rpc, calls } = nodeOf(2);
  await sendOurs(rpc, bytes);
  await send(rpc, bytes);
  await submit(rpc, ['01', '02']);
  expect(calls).toEqual([
    ['sendrawtransaction', ['01', 0]],
    ['sendrawtransaction', ['01']],
    ['submitpackage', [['01', '02'], 0]],
  ]);
});

test('fault 273, bitcoin: a Core that knows no fee rate of a package gets it without', async () => {
  const { rpc, calls } = nodeOf(1);
  await submit(rpc, ['01', '02']);
  expect(calls).toEqual([
    ['submitpackage', [['01', '02'], 0]],
    ['submitpackage', [['01', '02']]],
  ]);
});
