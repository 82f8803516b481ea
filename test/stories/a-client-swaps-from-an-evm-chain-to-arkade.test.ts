import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from './client/client.ts';
import { openBundler, type SmartAccount } from './client/bundler.ts';
import {
  collabRefund,
  fundAlone,
  fundByBundler,
  fundGasless,
  refundAlone,
  refundByBundler,
  signedRefund,
} from './client/from-evm.ts';
import { text, whole, type Json } from './client/http.ts';
import { faultsOf } from './client/record.ts';
import { evmToArkade, type Purchase, type ToArkade } from './client/to-arkade.ts';
import { balanceOn } from './client/to-evm.ts';
import { offered, startWireNode, type WireNode } from './wire-node.ts';

const chainId = 137;
const coin = `0x${'00'.repeat(20)}`;
let node: WireNode;
let rpcUrl: string;
let tokens: Readonly<Record<string, string>>;

beforeAll(async () => {
  node = await startWireNode();
  const { evm } = (await node.owner('GET', '/sandbox')) as { evm: Record<string, Json> };
  const world = evm[String(chainId)] as { rpcUrl: string; tokens: { symbol: string; address: string }[] };
  rpcUrl = world.rpcUrl;
  tokens = Object.fromEntries(world.tokens.map(({ symbol, address }) => [symbol, address]));
  await offered(node, String(chainId), 'Arkade');
}, 120_000);

afterAll(() => node.stop());

const balance = ({ account }: ToArkade, symbol: string) =>
  balanceOn(rpcUrl, chainId, tokens[symbol] ?? coin, account.address);
const soon = async (): Promise<number> => (await node.now()) + 3_600;

async function give({ account }: ToArkade, token: string, amount: bigint): Promise<void> {
  const pay = { address: account.address, token, amount: amount.toString() };
  await node.owner('POST', `/sandbox/evm/${chainId}/faucet`, pay);
}

interface Opened {
  readonly swap: ToArkade;
  readonly client: Client;
}

/** A swap whose client has the tokens that it needs, and coins where it sends its transactions itself. */
async function opened(symbol: string, gasless: boolean, amount?: Purchase['amount']): Promise<Opened> {
  await offered(node, String(chainId), 'Arkade');
  const client = await node.client();
  const token = tokens[symbol] ?? coin;
  const swap = await evmToArkade(node.url, client, {
    chainId,
    token,
    gasless,
    amount: amount ?? { amount_out: 60_000 },
  });
  await give(swap, token, swap.price);
  if (!gasless) await give(swap, coin, 10n ** 18n);
  return { swap, client };
}

async function funded(symbol: string): Promise<Opened> {
  const all = await opened(symbol, true);
  expect((await fundGasless(node.url, all.swap, await soon())).status).toBe(200);
  await node.until(all.swap, 'serverfunded', 60_000);
  return all;
}

describe('we lock a VHTLC, the client claims it, and its secret takes the lock', () => {
  test('a token other than the pegged one, through its exchange, from an account without coins', async () => {
    const { swap, client } = await opened('USDC', true);
    const { status, body } = await fundGasless(node.url, swap, await soon());
    expect([status, body['message']]).toEqual([200, 'The funding was sent.']);
    const locked = await node.until(swap, 'serverfunded', 60_000);
    const claim = await client.arkade.claim(swap.vhtlc, swap.secret);
    const record = await node.until(swap, 'serverredeemed', 60_000);
    expect(record).toMatchObject({
      direction: 'evm_to_arkade',
      btc_fund_txid: text(locked, 'btc_fund_txid'),
      arkade_fund_txid: text(locked, 'btc_fund_txid'),
      btc_claim_txid: claim,
      evm_fund_txid: body['tx_hash'],
      evm_claim_txid: expect.stringMatching(/^0x[0-9a-f]{64}$/) as string,
    });
    // Also at its end every whole number of it is one, as strict clients read it.
    expect(faultsOf('evm_to_arkade', record)).toEqual([]);
    expect([await balance(swap, 'coin'), await client.arkade.balance()]).toEqual([0n, 60_000]);
  }, 120_000);

  test("the pegged token, by the client's own transaction, all that it has", async () => {
    const { swap, client } = await opened('WBTC', false, { amount_in: '70000' });
    const hash = await fundAlone(node.url, swap, rpcUrl, await soon());
    await node.until(swap, 'serverfunded', 60_000);
    await client.arkade.claim(swap.vhtlc, swap.secret);
    const record = await node.until(swap, 'serverredeemed', 60_000);
    expect(record).toMatchObject({ evm_fund_txid: hash, source_amount: '70000' });
    const target = 70_000 - whole(record, 'fee_sats');
    expect([text(record, 'target_amount'), await client.arkade.balance()]).toEqual([`${target}`, target]);
  }, 120_000);
});

test('what nobody claims comes back to both: our VHTLC above its locktime, the lock by both signatures', async () => {
  const { swap, client } = await funded('USDC');
  await expect(signedRefund(node.url, swap)).rejects.toThrow(/403/);
  await node.advanceTo(whole(swap.record, 'vhtlc_refund_locktime') - 60);
  await expect(signedRefund(node.url, swap)).rejects.toThrow(/403/);
  await node.advanceTo(whole(swap.record, 'vhtlc_refund_locktime') + 60);
  await node.until(swap, 'clientfundedserverrefunded', 90_000);
  const answer = await collabRefund(node.url, swap, await signedRefund(node.url, swap));
  expect([answer.status, answer.body['message']]).toEqual([200, 'The refund was sent.']);
  const record = await node.until(swap, 'clientrefundedserverrefunded', 60_000);
  expect(record['evm_claim_txid']).toBe(answer.body['tx_hash']);
  expect(await balance(swap, 'WBTC')).toBeGreaterThanOrEqual(BigInt(text(swap.record, 'evm_expected_sats')));
  expect([await client.arkade.balance(), await client.arkade.unspent(swap.vhtlc)]).toEqual([0, []]);
}, 150_000);

test('a client that asks nobody takes its lock back from its timelock on', async () => {
  const { swap } = await funded('USDC');
  await give(swap, coin, 10n ** 18n);
  await node.advanceTo(whole(swap.record, 'evm_refund_locktime') - 600);
  await node.until(swap, 'clientfundedserverrefunded', 90_000);
  await expect(refundAlone(node.url, swap, rpcUrl)).rejects.toThrow();
  await node.advanceTo(whole(swap.record, 'evm_refund_locktime') + 60);
  const hash = await refundAlone(node.url, swap, rpcUrl);
  const record = await node.until(swap, 'clientrefundedserverrefunded', 60_000);
  expect(record['evm_claim_txid']).toBe(hash);
  expect(await balance(swap, 'WBTC')).toBeGreaterThanOrEqual(BigInt(text(swap.record, 'evm_expected_sats')));
}, 150_000);

describe('by a bundler, from an account that is a contract and another one than the record names', () => {
  async function lockedBy(): Promise<Opened & { readonly account: SmartAccount; readonly hash: string }> {
    const bundler = await openBundler(chainId, rpcUrl);
    const pay = (address: string, token: string, amount: bigint) =>
      node.owner('POST', `/sandbox/evm/${chainId}/faucet`, { address, token, amount: amount.toString() });
    await pay(bundler.address, coin, 10n ** 20n);
    await bundler.raise();
    const all = await opened('USDC', true);
    const account = await bundler.open(all.swap.account);
    await pay(account.address, coin, 10n ** 19n);
    await pay(account.address, tokens['USDC'] ?? coin, all.swap.price);
    const hash = await fundByBundler(node.url, all.swap, account, await soon());
    await node.until(all.swap, 'serverfunded', 60_000);
    return { ...all, account, hash };
  }

  test('its lock is taken like any other', async () => {
    const { swap, client, account, hash } = await lockedBy();
    await client.arkade.claim(swap.vhtlc, swap.secret);
    const record = await node.until(swap, 'serverredeemed', 60_000);
    expect(record['evm_fund_txid']).toBe(hash);
    expect(await client.arkade.balance()).toBe(60_000);
    // Of its price what the exchange did not take.
    const left = await balanceOn(rpcUrl, chainId, tokens['USDC'] ?? coin, account.address);
    expect(left).toBeLessThan(swap.price / 50n);
  }, 120_000);

  test('and comes back to that account from its timelock on', async () => {
    const { swap, account } = await lockedBy();
    await node.advanceTo(whole(swap.record, 'evm_refund_locktime') + 60);
    await node.until(swap, 'clientfundedserverrefunded', 90_000);
    const hash = await refundByBundler(node.url, swap, account);
    const record = await node.until(swap, 'clientrefundedserverrefunded', 60_000);
    expect(record['evm_claim_txid']).toBe(hash);
    expect(await balanceOn(rpcUrl, chainId, tokens['WBTC'] ?? coin, account.address)).toBeGreaterThanOrEqual(
      BigInt(text(swap.record, 'evm_expected_sats')),
    );
  }, 150_000);
});

test('what nobody locks in time expires, and a lock that comes late is given back together, at once', async () => {
  const [idle, late] = [await opened('WBTC', true), await opened('WBTC', false)];
  const over = (await node.now()) + 1_900;
  await fundAlone(node.url, late.swap, rpcUrl, over + 3_600, async () => {
    await node.advanceTo(over);
    await node.until(late.swap, 'expired', 60_000);
  });
  await node.until(late.swap, 'clientfundedtoolate', 60_000);
  await node.until(idle.swap, 'expired', 60_000);
  expect((await collabRefund(node.url, late.swap, await signedRefund(node.url, late.swap))).status).toBe(200);
  await node.until(late.swap, 'clientrefunded', 60_000);
  expect([await balance(late.swap, 'WBTC'), await late.client.arkade.unspent(late.swap.vhtlc)]).toEqual([
    late.swap.price,
    [],
  ]);
}, 150_000);

test('a create says what is wrong with it', async () => {
  await offered(node, String(chainId), 'Arkade');
  const { arkade } = await node.client();
  const create = (change: Json) =>
    node.raw('POST', '/swap/evm/arkade', {
      arkade_htlc_script_version: 1,
      evm_chain_id: chainId,
      hash_lock: `0x${'11'.repeat(32)}`,
      receiver_pk: arkade.publicKey,
      target_address: arkade.address,
      token_address: tokens['WBTC'],
      user_address: `0x${'22'.repeat(20)}`,
      user_id: 'story',
      amount_out: 60_000,
      ...change,
    });
  const wrong: readonly Json[] = [
    { target_address: arkade.address.replace('tark1', 'ark1') },
    { target_address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080' },
    { receiver_pk: `02${'ff'.repeat(32)}` },
    { amount_out: 10 },
    { amount_out: 5_000_000_000 },
    { amount_in: '60000' },
    { amount_out: undefined },
    { evm_chain_id: 421_610 },
    { arkade_htlc_script_version: 2 },
    { bridge_source_chain: 'Base' },
  ];
  const answers = await Promise.all(wrong.map(create));
  expect(answers.map(({ status }) => status)).toEqual(wrong.map(() => 400));
  expect(text(answers[1]?.body ?? {}, 'error')).toMatch(/^target_address /);
});
