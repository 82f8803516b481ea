import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from './client/http.ts';
import { eventually, startWireNode, type WireNode } from './wire-node.ts';

/** An address of BIP-173's test vectors with regtest's prefix: nobody here has its key. */
const payee = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

let node: WireNode;

beforeAll(async () => {
  node = await startWireNode();
}, 60_000);

afterAll(() => node.stop());

async function balance(): Promise<Json> {
  const { balances } = await node.owner('GET', '/owner/balances');
  return (balances as readonly Json[]).find(({ network }) => network === 'bitcoin') ?? {};
}

/** What the chain shows at an address, past the node. */
async function paidTo(address: string): Promise<readonly Json[]> {
  const { esploraUrl } = (await node.owner('GET', '/sandbox'))['bitcoin'] as { esploraUrl: string };
  return (await (await fetch(`${esploraUrl}/address/${address}/utxo`)).json()) as readonly Json[];
}

function mine(blocks: number): Promise<Json> {
  return node.owner('POST', '/sandbox/bitcoin/mine', { blocks });
}

test('ten bitcoin at first, a deposit on top, and a withdrawal that a killed node goes on with and pays once', async () => {
  expect(await eventually(balance, ({ available }) => available === '1000000000')).toMatchObject({ reserved: '0', locked: '0', pending: '0' });
  const { address } = await node.owner('POST', '/owner/wallets/bitcoin/address', {});
  await node.owner('POST', '/sandbox/bitcoin/faucet', { address, amount: 70_000 });
  await eventually(balance, ({ pending }) => pending === '70000');
  await mine(1);
  await eventually(balance, ({ available }) => available === '1000070000');

  const { id, transaction } = await node.owner('POST', '/owner/wallets/bitcoin/withdraw', { address: payee, amount: '250000' });
  await eventually(() => paidTo(payee), (coins) => coins.length === 1);
  const listed = async () => ((await node.owner('GET', '/owner/swaps?open=true'))['swaps'] as readonly Json[]).find((line) => line['id'] === id);
  expect(await listed()).toMatchObject({ direction: 'withdraw_bitcoin', at: 'sending', value_sats: 250_000, next_action: 'the miners: it waits until it is six blocks deep' });
  await node.restart('SIGKILL');
  await mine(2);
  await node.owner('POST', '/sandbox/bitcoin/reorg', { depth: 2, drop: [transaction] });
  // It may wait again already, sent with the same bytes; in a block it is not.
  expect((await paidTo(payee)).filter(({ status }) => (status as Json)['confirmed'] === true)).toEqual([]);
  await eventually(() => paidTo(payee), (coins) => coins.length === 1, 20_000);
  await mine(6);
  const over = await eventually(() => node.owner('GET', `/owner/swaps/${String(id)}`), ({ at }) => at === 'sent', 30_000);
  expect([over['direction'], (over['transactions'] as readonly Json[]).map(({ txid, network, purpose, state }) => [txid, network, purpose, state])]).toEqual(['withdraw_bitcoin', [[transaction, 'bitcoin', 'send', 'final']]]);
  expect((await paidTo(payee)).map(({ txid, value }) => [txid, value])).toEqual([[transaction, 250_000]]);
  const left = await eventually(balance, ({ pending }) => pending === '0');
  const fee = 1_000_070_000 - 250_000 - Number(left['available']);
  expect(fee).toBeGreaterThan(100);
  expect(fee).toBeLessThan(400);
}, 120_000);
