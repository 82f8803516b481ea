import { afterAll, beforeAll, expect, test } from 'vitest';
import { send, type Json, type Reply } from './client/http.ts';
import { eventually, startWireNode, type WireNode } from './wire-node.ts';

/** An address of BIP-173's test vectors with regtest's prefix: nobody here has its key. */
const payee = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

let node: WireNode;

beforeAll(async () => {
  node = await startWireNode();
});

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

test('a withdrawal that a killed node goes on with is paid once', async () => {
  expect(await eventually(balance, ({ available }) => available === '1000000000')).toMatchObject({
    reserved: '0',
    locked: '0',
    pending: '0',
  });
  const { address } = await node.owner('POST', '/owner/wallets/bitcoin/address', {});
  await node.owner('POST', '/sandbox/bitcoin/faucet', { address, amount: 70_000 });
  await eventually(balance, ({ pending }) => pending === '70000');
  await mine(1);
  await eventually(balance, ({ available }) => available === '1000070000');

  const { id, transaction } = await node.owner('POST', '/owner/wallets/bitcoin/withdraw', {
    address: payee,
    amount: '250000',
  });
  await eventually(
    () => paidTo(payee),
    (coins) => coins.length === 1,
  );
  const listed = async () =>
    ((await node.owner('GET', '/owner/swaps?open=true'))['swaps'] as readonly Json[]).find((line) => line['id'] === id);
  expect(await listed()).toMatchObject({
    direction: 'withdraw_bitcoin',
    at: 'sending',
    value_sats: 250_000,
    next_action: 'the miners: it waits until it is six blocks deep',
  });
  await node.restart('SIGKILL');
  await mine(2);
  await node.owner('POST', '/sandbox/bitcoin/reorg', { depth: 2, drop: [transaction] });
  // It may wait again already, sent with the same bytes; in a block it is not.
  expect((await paidTo(payee)).filter(({ status }) => (status as Json)['confirmed'] === true)).toEqual([]);
  await eventually(
    () => paidTo(payee),
    (coins) => coins.length === 1,
  );
  await mine(5);
  const { at: fiveDeep } = await node.owner('GET', `/owner/swaps/${String(id)}`);
  await mine(1);
  const over = await eventually(
    () => node.owner('GET', `/owner/swaps/${String(id)}`),
    ({ at }) => at === 'sent',
  );
  expect([
    fiveDeep,
    over['direction'],
    (over['transactions'] as readonly Json[]).map(({ txid, network, purpose, state }) => [
      txid,
      network,
      purpose,
      state,
    ]),
  ]).toEqual(['sending', 'withdraw_bitcoin', [[transaction, 'bitcoin', 'send', 'final']]]);
  expect((await paidTo(payee)).map(({ txid, value }) => [txid, value])).toEqual([[transaction, 250_000]]);
  const left = await eventually(balance, ({ pending }) => pending === '0');
  const fee = 1_000_070_000 - 250_000 - Number(left['available']);
  expect(fee).toBeGreaterThan(100);
  expect(fee).toBeLessThan(400);
}, 120_000);

test('max_fee of a withdrawal is what it may cost, and what it would cost is told when that is more', async () => {
  const payer = 'bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry';
  const withdraw = (max_fee: unknown): Promise<Reply> =>
    send(
      node.url,
      'POST',
      '/owner/wallets/bitcoin/withdraw',
      { address: payer, amount: '250000', max_fee },
      { authorization: `Bearer ${node.token}` },
    );
  const wrong = await Promise.all(
    ['', 'a lot', '-1', '1.5', '0x10', '0', 1.5, -1, true, '9007199254740993'].map(withdraw),
  );
  expect(wrong.map(({ status, body }) => [status, String(body['error']).includes('max_fee')])).toEqual(
    wrong.map(() => [400, true]),
  );
  const { status, body } = await withdraw('50');
  expect([status, body['error']]).toEqual([
    403,
    expect.stringMatching(/^Nothing was sent: Its fee would be \d+ sats .* ceiling is 50: .*max_fee/),
  ]);
  expect(await paidTo(payer)).toEqual([]);
  const sent = await withdraw('5000');
  expect([sent.status, sent.body]).toEqual([
    200,
    { id: expect.any(String) as string, sent: true, transaction: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
  ]);
  expect(
    await eventually(
      () => paidTo(payer),
      (coins) => coins.length === 1,
    ),
  ).toMatchObject([{ txid: sent.body['transaction'], value: 250_000 }]);
});

test('what each speed of a withdrawal costs is told before it is sent, and an unknown one is refused', async () => {
  const payer = 'bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry';
  const ask = (route: string, more: object): Promise<Reply> =>
    send(
      node.url,
      'POST',
      `/owner/wallets/${route}`,
      { address: payer, amount: '150000', ...more },
      { authorization: `Bearer ${node.token}` },
    );
  const { status, body } = await ask('bitcoin/fees', {});
  const fees = body['fees'] as readonly Json[];
  expect([status, fees.map(({ speed, refused, arrives }) => [speed, refused, arrives])]).toEqual([
    200,
    ['next-block', 'hour', 'day'].map((speed) => [speed, null, 150_000]),
  ]);
  expect(fees.every(({ rate, fee }) => Number(rate) >= 1 && Number(fee) >= 100 && Number.isInteger(fee))).toBe(true);
  const refused = await Promise.all([
    ask('bitcoin/fees', { amount: '1' }),
    ask('bitcoin/fees', { max_fee: 'none' }),
    ask('arkade/fees', {}),
    ask('bitcoin/withdraw', { speed: 'at once' }),
    ask('bitcoin/withdraw', { speed: 144 }),
    ask('lightning/withdraw', { speed: 'day' }),
  ]);
  expect(refused.map((reply) => [reply.status, String(reply.body['error']).split(' ')[0]])).toEqual([
    [400, 'amount'],
    [400, 'max_fee'],
    [400, 'network'],
    [400, 'speed'],
    [400, 'speed'],
    [400, 'speed'],
  ]);
  const sent = await ask('bitcoin/withdraw', { speed: 'day', max_fee: '5000' });
  expect([sent.status, sent.body['sent']]).toEqual([200, true]);
});
