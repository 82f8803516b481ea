// A node as `npm start` starts it, and no other hand than the payers': each direction as its client and as its provider, side by side.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TakerQuote } from '../../engine/contract/taker-quotes.ts';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import { takerDirections, takerInvoices, type TakerDirection } from '../../engine/domain/chain.ts';
import { bitcoinToArkade } from '../stories/client/from-bitcoin.ts';
import { evmToLightning, fundGasless, type FromEvm } from '../stories/client/from-evm.ts';
import { text, type Json } from '../stories/client/http.ts';
import { claimBitcoin, evmToBitcoin } from '../stories/client/to-bitcoin.ts';
import { arkadeToEvm, claimGasless } from '../stories/client/to-evm.ts';
import { termsOf, vhtlcOf } from '../stories/client/vhtlc.ts';
import { payFromOutside } from '../stories/pay-from-outside.ts';
import { eventually, startWireNode, type WireNode } from '../stories/wire-node.ts';
import { npmStart } from '../support/npm-start.ts';

const chainId = 137;
const amount = 40_000;
/** From the payment to a claim on the Bitcoin chain that is six deep. */
const patienceMs = 150_000;

let node: WireNode;
let usdc: string;
let esplora: string;
let orders: ReadonlyMap<TakerDirection, TakerSwap>;

beforeAll(async () => {
  node = await startWireNode({ program: npmStart.arguments, mode: [], environment: npmStart.environment });
  const { evm, bitcoin } = (await node.owner('GET', '/sandbox')) as { evm: Json; bitcoin: Json };
  const { tokens } = evm[String(chainId)] as { tokens: { symbol: string; address: string }[] };
  usdc = tokens.find(({ symbol }) => symbol === 'USDC')?.address ?? '';
  esplora = text(bitcoin, 'esploraUrl');
  await eventually(
    () => node.owner('GET', '/owner/taker/ways'),
    ({ ways }) => takerDirections.every((one) => (ways as Json[]).some(({ direction }) => direction === one)),
  );
  orders = await openAll();
}, 300_000);
afterAll(() => node?.stop(), 60_000);

/** As a person does it: at the price that was shown, and at the new one where that got worse meanwhile. */
async function order(direction: TakerDirection, again = 3): Promise<string> {
  const [source, target] = direction.split('-');
  const chain = direction.includes('evm') ? { evm_chain_id: chainId } : {};
  const side = source === 'lightning' || target === 'evm' ? 'source' : 'target';
  const { quotes } = await node.owner('POST', '/owner/taker/quotes', {
    direction,
    side,
    amount: `${amount}`,
    ...chain,
  });
  const [quote] = quotes as unknown as TakerQuote[];
  try {
    const { id } = await node.owner('POST', '/owner/taker/swaps', {
      direction,
      amount_sats: amount,
      most_source_amount: quote?.source_amount,
      least_target_amount: quote?.target_amount,
      ...(takerInvoices[direction] === 'owner' ? { invoice: (await node.invoice(amount)).bolt11 } : {}),
      ...(target === 'evm' ? { target_address: `0x${randomBytes(20).toString('hex')}` } : {}),
      ...chain,
    });
    return String(id);
  } catch (error) {
    if (again === 0 || !String(error).includes('The price got worse')) throw error;
    return order(direction, again - 1);
  }
}

async function swapOf(id: string): Promise<TakerSwap> {
  return (await node.owner('GET', `/owner/taker/swaps/${id}`)) as unknown as TakerSwap;
}

const soon = async (): Promise<number> => (await node.now()) + 3_600;

/** By a signature that the node relays; 503 asks its client to try again. */
async function fund(swap: FromEvm): Promise<void> {
  const pay = { address: swap.account.address, token: usdc, amount: String(2n * swap.price) };
  await node.owner('POST', `/sandbox/evm/${chainId}/faucet`, pay);
  const signed = async () => fundGasless(node.url, swap, await soon());
  expect(await eventually(signed, ({ status }) => status !== 503, patienceMs)).toMatchObject({ status: 200 });
}

/** All are opened before any is paid: two wait for tokens at one account, and either would take those of the other. */
async function openAll(): Promise<Map<TakerDirection, TakerSwap>> {
  const opened = new Map<TakerDirection, TakerSwap>();
  for (const direction of takerDirections) {
    const id = await order(direction);
    const isShown = ({ phase }: TakerSwap) => phase === 'pay';
    opened.set(direction, await eventually(() => swapOf(id), isShown, patienceMs));
  }
  return opened;
}

/** A plain client of each direction, which knows the published interface alone. */
const clients = {
  async 'lightning-arkade'() {
    const client = await node.client();
    const swap = await client.lightningToArkade({ target: amount });
    await node.pay(swap.bolt11);
    await node.until(swap, 'serverfunded');
    await client.claim(swap);
    return swap;
  },
  async 'arkade-lightning'() {
    const client = await node.client();
    const swap = await client.arkadeToLightning((await node.invoice(amount)).bolt11);
    await node.faucet(swap.vhtlc.address, swap.price);
    return swap;
  },
  async 'arkade-evm'() {
    const swap = await arkadeToEvm(node.url, await node.client(), {
      chainId,
      token: usdc,
      amount: { amount_in: amount },
    });
    await node.faucet(swap.vhtlc.address, swap.price);
    await node.until(swap, 'serverfunded', patienceMs);
    expect(await claimGasless(node.url, swap)).toMatchObject({ status: 200 });
    return swap;
  },
  async 'bitcoin-arkade'() {
    const { arkade } = await node.client();
    const swap = await bitcoinToArkade(node.url, arkade, { receive: amount });
    const pay = { address: text(swap.record, 'btc_htlc_address'), amount: swap.price };
    await node.owner('POST', '/sandbox/bitcoin/faucet', pay);
    const record = await node.until(swap, 'serverfunded', patienceMs);
    await arkade.claim(vhtlcOf(termsOf(record)), swap.secret);
    return swap;
  },
  async 'evm-lightning'() {
    const invoice = await node.invoice(amount);
    const swap = await evmToLightning(node.url, { chainId, token: usdc, ...invoice, gasless: true });
    await fund(swap);
    return swap;
  },
  async 'evm-bitcoin'() {
    const swap = await evmToBitcoin(node.url, { chainId, token: usdc, gasless: true, amount: { amount_out: amount } });
    await fund(swap);
    await claimBitcoin(esplora, swap, await node.until(swap, 'serverfunded', patienceMs));
    return swap;
  },
} as const satisfies { readonly [D in TakerDirection]: () => Promise<{ readonly id: string }> };

describe.concurrent('a node as npm start starts it', () => {
  test.each(takerDirections)(
    '%s: as its own client, what was agreed arrives',
    async (direction) => {
      const shown = orders.get(direction);
      if (shown === undefined) throw new Error('it was not opened');
      const { id } = shown;
      const { normal_until: until, now } = shown.times;
      if (until !== null && now !== null) expect(until - now).toBeGreaterThan(3_600);
      await payFromOutside(node, shown);
      const ended = await eventually(
        () => swapOf(id),
        ({ open }) => !open,
        patienceMs,
      );
      expect([ended.outcome, ended.get.amount]).toEqual(['finished', shown.get.amount]);
    },
    2 * patienceMs,
  );

  test.each(takerDirections)(
    '%s: as provider of a plain client, what was agreed is given and taken',
    async (direction) => {
      const swap = await clients[direction]();
      await node.until(swap, 'serverredeemed', patienceMs);
    },
    2 * patienceMs,
  );
});

test('a held payment survives fifty quick blocks, and is settled once its client claims', async () => {
  const client = await node.client();
  const swap = await client.lightningToArkade({ target: amount });
  const hash = await node.pay(swap.bolt11);
  await node.until(swap, 'serverfunded');
  await node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 50 });
  expect(await node.payment(hash)).toBe('in_flight');
  await client.claim(swap);
  await node.until(swap, 'serverredeemed');
  expect(await node.payment(hash)).toBe('settled');
}, 120_000);
