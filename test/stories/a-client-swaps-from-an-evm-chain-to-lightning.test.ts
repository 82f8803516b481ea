import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  approvePermit2,
  collabRefund,
  evmToLightning,
  fundAlone,
  fundGasless,
  refundAlone,
  signedRefund,
  type FromEvm,
} from './client/from-evm.ts';
import { text, whole } from './client/http.ts';
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

beforeAll(async () => {
  node = await startWireNode();
  const worlds = (await node.owner('GET', '/sandbox'))['evm'] as Readonly<Record<string, World>>;
  const one = worlds[String(chainId)];
  if (one === undefined) throw new Error(`the sandbox has no chain ${chainId}`);
  world = one;
  await offered(node, String(chainId), 'Lightning');
});

afterAll(() => node.stop());

function tokenOf(symbol: string): string {
  const token = world.tokens.find((one) => one.symbol === symbol);
  if (token === undefined) throw new Error(`the sandbox has no ${symbol}`);
  return token.address;
}

const balance = ({ account }: FromEvm, token: string) => balanceOn(world.rpcUrl, chainId, token, account.address);

async function give({ account }: FromEvm, token: string, amount: bigint): Promise<void> {
  const pay = { address: account.address, token, amount: amount.toString() };
  await node.owner('POST', `/sandbox/evm/${chainId}/faucet`, pay);
}

/** A swap whose client has twice the tokens that it needs, and coins where it sends its transactions itself. */
async function opened(symbol: string, gasless: boolean): Promise<FromEvm & { readonly hash: string }> {
  const token = tokenOf(symbol);
  const invoice = await node.invoice(50_000);
  const swap = await evmToLightning(node.url, { chainId, token, gasless, ...invoice });
  await give(swap, token, 2n * swap.price);
  if (!gasless) await give(swap, coin, 10n ** 18n);
  return { ...swap, hash: invoice.hash };
}

const soon = async (): Promise<number> => (await node.now()) + 3_600;

describe('fault 74, evm: the source amount is what the client has to bring, and the rest returns', () => {
  test.each([
    ['USDC', true],
    ['tBTC', true],
    ['tBTC', false],
    ['WBTC', true],
  ])('%s, gasless %s', async (symbol, gasless) => {
    const token = tokenOf(symbol);
    const swap = await evmToLightning(node.url, { chainId, token, gasless, ...(await node.invoice(50_000)) });
    await give(swap, token, swap.price);
    if (symbol !== 'USDC') await give(swap, coin, 10n ** 18n);
    if (symbol !== 'USDC' && gasless) await approvePermit2(node.url, swap, world.rpcUrl);
    if (gasless) {
      const { status, body } = await fundGasless(node.url, swap, await soon());
      expect([status, body]).toEqual([200, expect.objectContaining({ message: 'The funding was sent.' })]);
    } else await fundAlone(node.url, swap, world.rpcUrl, await soon());
    const record = await node.until(swap, 'serverredeemed');
    const returned = await balance(swap, token);
    expect(record).toMatchObject({ source_amount: `${swap.price - returned}` });
    expect(record['returned_amount']).toBe(symbol === 'WBTC' ? undefined : `${returned}`);
    // The tolerance, as far as the price did not move: half a percent.
    expect(returned > 0n).toBe(symbol !== 'WBTC');
    expect(returned * 190n).toBeLessThan(swap.price);
  });
});

describe('the invoice is paid, and our claim takes the lock', () => {
  test('a token other than the pegged one, through its exchange, from an account without coins', async () => {
    const swap = await opened('USDC', true);
    const { status, body } = await fundGasless(node.url, swap, await soon());
    expect([status, body['message']]).toEqual([200, 'The funding was sent.']);
    const record = await node.until(swap, 'serverredeemed');
    expect(record).toMatchObject({
      lightning_payment_settled: true,
      evm_fund_txid: body['tx_hash'],
      evm_claim_txid: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    expect(await balance(swap, coin)).toBe(0n);
    // What the exchange did not need is back.
    const given = 2n * swap.price - (await balance(swap, tokenOf('USDC')));
    expect(given).toBeGreaterThan(0n);
    expect(given).toBeLessThanOrEqual(BigInt(text(record, 'source_amount')));
  });

  test("the pegged token, by the client's own transaction", async () => {
    const swap = await opened('WBTC', false);
    const hash = await fundAlone(node.url, swap, world.rpcUrl, await soon());
    const record = await node.until(swap, 'serverredeemed');
    expect(record).toMatchObject({ lightning_payment_settled: true, evm_fund_txid: hash });
    expect(await balance(swap, tokenOf('WBTC'))).toBe(swap.price);
  });
});

describe('when the payment fails, every token comes back', () => {
  async function unpaid(symbol: string, fund: (swap: FromEvm) => Promise<unknown>): Promise<FromEvm> {
    const swap = await opened(symbol, symbol !== 'WBTC');
    await node.owner('POST', '/sandbox/lightning/fault', { next_payment: 'fails' });
    await fund(swap);
    const record = await node.until(swap, 'serverwontfund');
    expect(record['lightning_payment_settled']).toBe(false);
    return swap;
  }

  test('at once, with a signature of both, in the pegged token that was locked', async () => {
    const swap = await unpaid('USDC', async (one) => fundGasless(node.url, one, await soon()));
    const body = await signedRefund(node.url, swap);
    expect((await collabRefund(node.url, swap, { ...body, v: 55 - whole(body, 'v') })).status).toBe(400);
    const locked = await balanceOn(world.rpcUrl, chainId, tokenOf('WBTC'), text(swap.record, 'evm_htlc_address'));
    expect(locked).toBeGreaterThanOrEqual(BigInt(text(swap.record, 'evm_expected_sats')));
    const answer = await collabRefund(node.url, swap, body);
    expect([answer.status, answer.body['message']]).toEqual([200, 'The refund was sent.']);
    await node.until(swap, 'clientrefunded');
    expect(await balance(swap, tokenOf('WBTC'))).toBe(locked);
    expect(await balance(swap, coin)).toBe(0n);
  });

  test('the client needs nobody: from the timelock on it refunds alone', async () => {
    const swap = await unpaid('WBTC', async (one) => fundAlone(node.url, one, world.rpcUrl, await soon()));
    expect(await balance(swap, tokenOf('WBTC'))).toBe(swap.price);
    await expect(refundAlone(node.url, swap, world.rpcUrl)).rejects.toThrow(/revert/i);
    await node.advanceTo(whole(swap.record, 'evm_refund_locktime') + 60);
    await eventually(
      () => refundAlone(node.url, swap, world.rpcUrl).catch(() => null),
      (hash) => hash !== null,
    );
    expect(await balance(swap, tokenOf('WBTC'))).toBe(2n * swap.price);
    await node.until(swap, 'clientrefunded');
  });
});

test('nothing is signed away while nothing is locked', async () => {
  await offered(node, String(chainId), 'Lightning');
  const swap = await opened('WBTC', true);
  await expect(signedRefund(node.url, swap)).rejects.toThrow(/403 .*nothing is locked/);
});
