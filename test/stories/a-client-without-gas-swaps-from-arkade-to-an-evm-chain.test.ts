import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from './client/client.ts';
import { text, whole, type Json } from './client/http.ts';
import {
  arkadeToEvm,
  balanceOn,
  claimAlone,
  claimGasless,
  isKnown,
  signedClaim,
  type ToEvm,
  type Wish,
} from './client/to-evm.ts';
import { offered, startWireNode, type WireNode } from './wire-node.ts';

interface World {
  readonly rpcUrl: string;
  readonly tokens: readonly { readonly symbol: string; readonly address: string; readonly decimals: number }[];
}

const coin = `0x${'00'.repeat(20)}`;
let node: WireNode;
let client: Client;
let worlds: Readonly<Record<string, World>>;

beforeAll(async () => {
  node = await startWireNode();
  client = await node.client();
  worlds = (await node.owner('GET', '/sandbox'))['evm'] as Readonly<Record<string, World>>;
  await ready();
});

afterAll(() => node.stop());

async function ready(): Promise<void> {
  await offered(node, 'Arkade', '137');
  await offered(node, 'Arkade', '31');
}

function world(chainId: number): World {
  const one = worlds[String(chainId)];
  if (one === undefined) throw new Error(`the sandbox has no chain ${chainId}`);
  return one;
}

const tokenOf = (chainId: number, place: number): string => world(chainId).tokens[place]?.address ?? coin;

async function funded(wish: Wish): Promise<ToEvm> {
  const swap = await arkadeToEvm(node.url, client, wish);
  await node.faucet(swap.vhtlc.address, swap.price);
  await node.until(swap, 'serverfunded');
  return swap;
}

const received = ({ record, destination }: ToEvm): Promise<bigint> =>
  balanceOn(
    world(whole(record, 'evm_chain_id')).rpcUrl,
    whole(record, 'evm_chain_id'),
    (record['target_token'] as { token_id: string }).token_id,
    destination,
  );

describe('a claim that the node relays', () => {
  test.each([
    ['the pegged token', 137, { amount_in: 50_000 }],
    ['the native coin', 31, { amount_in: 50_000 }],
    ['the pegged token, its amount fixed', 137, { amount_out: '40000' }],
  ] as const)(
    'brings %s to an account without any coins',
    async (_, chainId, amount) => {
      const swap = await funded({ chainId, token: tokenOf(chainId, 0), amount });
      const request = await signedClaim(node.url, swap);
      const { status, body } = await claimGasless(node.url, swap, request);
      const isThere = await isKnown(world(chainId).rpcUrl, chainId, text(body, 'tx_hash'));
      expect([status, body['status']]).toEqual([200, expect.stringMatching(/^client(redeeming|redeemed)$/)]);
      // fault 79, evm: whoever is told of a hash looks it up at once.
      expect(isThere).toBe(true);
      const record = await node.until(swap, 'serverredeemed');
      expect(await received(swap)).toBe(BigInt(text(record, 'target_amount')));
      expect(await client.arkade.unspent(swap.vhtlc)).toEqual([]);
      expect((await claimGasless(node.url, swap, request)).body).toMatchObject({
        status: 'serverredeemed',
        tx_hash: record['evm_claim_txid'],
      });
      await expect(signedClaim(node.url, swap)).rejects.toThrow(/400 The lock of this swap was claimed/);
    },
    90_000,
  );

  test('through an exchange it brings another token, no less than its floor', async () => {
    const usdc = world(137).tokens.find(({ symbol }) => symbol.startsWith('USDC'));
    if (usdc === undefined) throw new Error('the sandbox has no USDC');
    const swap = await funded({ chainId: 137, token: usdc.address, amount: { amount_in: 50_000 } });
    expect((await claimGasless(node.url, swap)).status).toBe(200);
    await node.until(swap, 'serverredeemed');
    const promised = BigInt(text(swap.record, 'target_amount'));
    expect(await received(swap)).toBeGreaterThanOrEqual((promised * 99n) / 100n);
  });

  test('fault 35, evm: asked for a hundred times at once and after a restart, one is sent', async () => {
    const swap = await funded({ chainId: 137, token: tokenOf(137, 0), amount: { amount_in: 30_000 } });
    const body = await signedClaim(node.url, swap);
    const answers = await Promise.all(Array.from({ length: 100 }, () => claimGasless(node.url, swap, body)));
    await node.restart('SIGKILL');
    await ready();
    client = await node.client();
    answers.push(await claimGasless(node.url, swap, body));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const record = await node.until(swap, 'serverredeemed');
    const hashes = new Set(answers.map((answer) => answer.body['tx_hash']).filter((hash) => hash !== ''));
    expect(hashes.size).toBeLessThanOrEqual(1);
    expect((await claimGasless(node.url, swap, body)).body).toMatchObject({
      status: 'serverredeemed',
      tx_hash: record['evm_claim_txid'],
    });
    expect(await received(swap)).toBe(BigInt(text(record, 'target_amount')));
  });

  test('a signature over anything else is refused, and the swap goes on', async () => {
    const swap = await funded({ chainId: 137, token: tokenOf(137, 0), amount: { amount_in: 30_000 } });
    const body = await signedClaim(node.url, swap);
    const wrong = [
      { destination: coin.replace(/0$/, '1') },
      { secret: '01'.repeat(32) },
      { v: 55 - Number(body['v']) },
    ];
    for (const change of wrong) {
      const { status, body: answer } = await claimGasless(node.url, swap, { ...body, ...change });
      expect([status, Object.keys(answer)]).toEqual([400, ['error']]);
    }
    expect(await client.status(swap)).toBe('serverfunded');
    expect((await claimGasless(node.url, swap, body)).status).toBe(200);
    await node.until(swap, 'serverredeemed');
  });
});

test("the client's own claim is seen on the chain, and claims its VHTLC", async () => {
  const swap = await funded({ chainId: 137, token: tokenOf(137, 0), amount: { amount_in: 30_000 }, gasless: false });
  await node.owner('POST', '/sandbox/evm/137/faucet', {
    address: swap.account.address,
    token: coin,
    amount: (10n ** 18n).toString(),
  });
  const hash = await claimAlone(world(137).rpcUrl, swap);
  const record = await node.until(swap, 'serverredeemed');
  expect(record['evm_claim_txid']).toBe(hash);
  expect(await client.arkade.unspent(swap.vhtlc)).toEqual([]);
});

test('a client that never claims: our lock comes back first, then its refund is signed', async () => {
  const swap = await funded({ chainId: 137, token: tokenOf(137, 0), amount: { amount_in: 30_000 } });
  const ours = () =>
    balanceOn(world(137).rpcUrl, 137, text(swap.record, 'wbtc_address'), text(swap.record, 'server_evm_address'));
  const before = await ours();
  await expect(client.cosigned(swap)).rejects.toThrow(/403/);
  await node.advanceTo(whole(swap.record, 'evm_refund_locktime') + 60);
  await node.until(swap, 'clientfundedserverrefunded', 60_000);
  expect((await ours()) - before).toBe(BigInt(text(swap.record, 'evm_expected_sats')));
  const balance = await client.arkade.balance();
  await client.collabRefund(swap);
  await node.until(swap, 'clientrefundedserverrefunded');
  expect((await client.arkade.balance()) - balance).toBe(swap.price);
}, 120_000);

/** Of the books of the coin of a chain: what the account holds, and what its owner put in. */
async function inBooks(account: 'wallet' | 'owner'): Promise<bigint> {
  const { accounts } = (await node.owner('GET', '/owner/accounts')) as Record<string, readonly Json[]>;
  const row = accounts?.find((one) => one['network'] === 'evm:31' && one['account'] === account);
  return BigInt(String(row?.['balance'] ?? 0));
}

test('the books of a chain whose own coin is locked have every lock, claim, refund and fee of it', async () => {
  await expect.poll(() => inBooks('wallet'), { timeout: 60_000 }).toBeGreaterThan(0n);
  const put = await inBooks('owner');
  const [claimed, left] = [
    await funded({ chainId: 31, token: tokenOf(31, 0), amount: { amount_in: 40_000 } }),
    await funded({ chainId: 31, token: tokenOf(31, 0), amount: { amount_in: 30_000 } }),
  ];
  expect((await claimGasless(node.url, claimed)).status).toBe(200);
  await node.until(claimed, 'serverredeemed');
  await node.advanceTo(whole(left.record, 'evm_refund_locktime') + 60);
  await node.until(left, 'clientfundedserverrefunded', 60_000);
  const account = text(left.record, 'server_evm_address');
  const held = await balanceOn(world(31).rpcUrl, 31, coin, account);
  await expect.poll(() => inBooks('wallet'), { timeout: 60_000 }).toBe(held);
  expect(await inBooks('owner')).toBe(put);
}, 180_000);

test('what cannot be served is refused with a sentence, before anything is opened', async () => {
  await ready();
  const wish = { chainId: 137, token: tokenOf(137, 0), amount: { amount_in: 30_000 } };
  const refused = (change: Partial<Wish>) => arkadeToEvm(node.url, client, { ...wish, ...change });
  await expect(refused({ chainId: 42_161 })).rejects.toThrow(/400 Unsupported chain/);
  await expect(refused({ token: `0x${'12'.repeat(20)}` })).rejects.toThrow(/400 /);
  await expect(refused({ amount: { amount_in: 10 } })).rejects.toThrow(/400 Min amount/);
});
