import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collabRefund, fundAlone, fundGasless, signedRefund } from './client/from-evm.ts';
import { claimBitcoin, claimedBy, evmToBitcoin, type ToBitcoin } from './client/to-bitcoin.ts';
import { text, whole, type Json } from './client/http.ts';
import { balanceOn } from './client/to-evm.ts';
import { eventually, offered, startWireNode, type WireNode } from './wire-node.ts';

interface World {
  readonly rpcUrl: string;
  readonly tokens: readonly { readonly symbol: string; readonly address: string }[];
}

const chainId = 137;
const coin = `0x${'00'.repeat(20)}`;
let node: WireNode;
let world: World;
let esplora: string;

beforeAll(async () => {
  node = await startWireNode();
  const sandbox = await node.owner('GET', '/sandbox');
  const one = (sandbox['evm'] as Readonly<Record<string, World>>)[String(chainId)];
  if (one === undefined) throw new Error(`the sandbox has no chain ${chainId}`);
  world = one;
  esplora = text(sandbox['bitcoin'] as Json, 'esploraUrl');
  await offered(node, String(chainId), 'Bitcoin');
}, 120_000);

afterAll(() => node.stop());

function tokenOf(symbol: string): string {
  const token = world.tokens.find((one) => one.symbol === symbol);
  if (token === undefined) throw new Error(`the sandbox has no ${symbol}`);
  return token.address;
}

const balance = ({ account }: ToBitcoin, token: string) => balanceOn(world.rpcUrl, chainId, token, account.address);
const mine = (blocks: number) => node.owner('POST', '/sandbox/bitcoin/mine', { blocks });
const soon = async (): Promise<number> => (await node.now()) + 3_600;

async function give({ account }: ToBitcoin, token: string, amount: bigint): Promise<void> {
  const pay = { address: account.address, token, amount: amount.toString() };
  await node.owner('POST', `/sandbox/evm/${chainId}/faucet`, pay);
}

/** A swap whose client has twice the tokens that it needs, and coins where it sends its transactions itself. */
async function opened(symbol: string, gasless: boolean): Promise<ToBitcoin> {
  const token = tokenOf(symbol);
  const swap = await evmToBitcoin(node.url, { chainId, token, gasless, amount: { amount_out: 60_000 } });
  await give(swap, token, 2n * swap.price);
  if (!gasless) await give(swap, coin, 10n ** 18n);
  return swap;
}

describe('we fund the HTLC, the client claims it unconfirmed, and its secret takes the lock', () => {
  test('a token other than the pegged one, through its exchange, from an account without coins', async () => {
    const swap = await opened('USDC', true);
    expect(text(swap.record, 'target_amount')).toBe('60000');
    const { status, body } = await fundGasless(node.url, swap, await soon());
    expect([status, body['message']]).toEqual([200, 'The funding was sent.']);
    const funded = await node.until(swap, 'serverfunded', 60_000);
    const claim = await claimBitcoin(esplora, swap, funded);
    const record = await node.until(swap, 'serverredeemed', 60_000);
    expect(record).toMatchObject({
      btc_claim_txid: claim,
      evm_fund_txid: body['tx_hash'],
      evm_claim_txid: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    expect([await balance(swap, coin), await claimedBy(esplora, swap)]).toEqual([0n, 59_600]);
    // The node took the lock with the secret of a claim that nobody has mined: it sees to it that it is.
    await node.owner('POST', '/sandbox/bitcoin/evict', { txid: claim });
    await eventually(
      () => claimedBy(esplora, swap),
      (sats) => sats === 59_600,
      60_000,
    );
    await mine(7);
    await eventually(
      () => node.owner('GET', '/owner/swaps?open=true'),
      ({ swaps }) => !(swaps as Json[]).some(({ id }) => id === swap.id),
      60_000,
    );
  }, 180_000);

  test("the pegged token, by the client's own transaction, and a claim that was driven out of the mempool", async () => {
    const swap = await opened('WBTC', false);
    const hash = await fundAlone(node.url, swap, world.rpcUrl, await soon());
    const funded = await node.until(swap, 'serverfunded', 60_000);
    await mine(1);
    const claim = await claimBitcoin(esplora, swap, funded);
    const record = await node.until(swap, 'serverredeemed', 60_000);
    expect(record).toMatchObject({ btc_claim_txid: claim, evm_fund_txid: hash });
    await mine(1);
    await node.owner('POST', '/sandbox/bitcoin/reorg', { depth: 1, drop: [claim] });
    await eventually(
      () => claimedBy(esplora, swap),
      (sats) => sats === 59_600,
      60_000,
    );
    expect(await balance(swap, tokenOf('WBTC'))).toBe(swap.price);
  }, 180_000);
});

test('what nobody claims comes back to both: our coin above its locktime, the lock by both signatures', async () => {
  const swap = await opened('USDC', true);
  expect((await fundGasless(node.url, swap, await soon())).status).toBe(200);
  await node.until(swap, 'serverfunded', 60_000);
  await mine(6);
  await expect(signedRefund(node.url, swap)).rejects.toThrow(/403/);
  await node.advanceTo(whole(swap.record, 'btc_refund_locktime') + 60);
  await mine(12);
  await eventually(
    async () => {
      await mine(1);
      return node.get(`/swap/${swap.id}`);
    },
    ({ status }) => status === 'clientfundedserverrefunded',
    90_000,
  );
  const locked = await balanceOn(world.rpcUrl, chainId, tokenOf('WBTC'), text(swap.record, 'evm_htlc_address'));
  const answer = await collabRefund(node.url, swap, await signedRefund(node.url, swap));
  expect([answer.status, answer.body['message']]).toEqual([200, 'The refund was sent.']);
  await node.until(swap, 'clientrefundedserverrefunded', 60_000);
  expect([await balance(swap, tokenOf('WBTC')), await balance(swap, coin)]).toEqual([locked, 0n]);
  expect(locked).toBeGreaterThanOrEqual(BigInt(text(swap.record, 'evm_expected_sats')));
}, 240_000);

describe('fault 74, evm: the source amount is what the client has to bring, and the rest returns', () => {
  test.each([
    ['USDC', 'a fixed payout, relayed', { amount_out: 60_000 }, true],
    ['tBTC', 'a fixed payout, by its own transaction', { amount_out: 60_000 }, false],
    ['USDC', 'all that the client has, relayed', { amount_in: '60000000' }, true],
    ['tBTC', 'all that the client has, by its own transaction', { amount_in: '1000000000000000' }, false],
  ] as const)(
    '%s, %s',
    async (symbol, _, amount, gasless) => {
      await offered(node, String(chainId), 'Bitcoin');
      const token = tokenOf(symbol);
      const swap = await evmToBitcoin(node.url, { chainId, token, gasless, amount });
      if ('amount_in' in amount) expect(`${swap.price}`).toBe(amount.amount_in);
      await give(swap, token, swap.price);
      if (gasless) expect((await fundGasless(node.url, swap, await soon())).status).toBe(200);
      else {
        await give(swap, coin, 10n ** 18n);
        await fundAlone(node.url, swap, world.rpcUrl, await soon());
      }
      const record = await node.until(swap, 'serverfunded', 60_000);
      const returned = await balance(swap, token);
      expect(record).toMatchObject({
        source_amount: `${swap.price - returned}`,
        returned_amount: `${returned}`,
        target_amount: text(swap.record, 'target_amount'),
      });
      expect(returned).toBeGreaterThan(0n);
      expect(returned * 190n).toBeLessThan(swap.price);
    },
    120_000,
  );
});

test('a create says what is wrong with it', async () => {
  await offered(node, String(chainId), 'Bitcoin');
  const token = tokenOf('WBTC');
  const create = (change: Json) =>
    node.raw('POST', '/swap/evm/bitcoin', {
      btc_htlc_script_version: 1,
      claim_pk: '02'.repeat(32),
      evm_chain_id: chainId,
      hash_lock: `0x${'11'.repeat(32)}`,
      token_address: token,
      user_address: `0x${'22'.repeat(20)}`,
      user_id: 'story',
      amount_out: 60_000,
      ...change,
    });
  const answers = [
    await create({ target_address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' }),
    await create({ amount_out: 10 }),
    await create({ amount_out: 5_000_000_000 }),
    await create({ amount_in: '60000' }),
    await create({ evm_chain_id: 421_610 }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
});
