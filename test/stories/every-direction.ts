import { randomBytes } from 'node:crypto';
import type { TakerQuote } from '../../engine/contract/taker-quotes.ts';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import { takerDirections, takerInvoices, type TakerDirection } from '../../engine/domain/chain.ts';
import { bitcoinToArkade, bitcoinToLightning } from './client/from-bitcoin.ts';
import { evmToLightning, fundGasless, type FromEvm } from './client/from-evm.ts';
import { text, type Json } from './client/http.ts';
import { evmToArkade } from './client/to-arkade.ts';
import { arkadeToBitcoin, claimBitcoin, claimHtlc, evmToBitcoin, lightningToBitcoin } from './client/to-bitcoin.ts';
import { arkadeToEvm, bitcoinToEvm, claimGasless, lightningToEvm } from './client/to-evm.ts';
import { termsOf, vhtlcOf } from './client/vhtlc.ts';
import { eventually, type WireNode } from './wire-node.ts';

const chainId = 137;
const amount = 40_000;
/** From the payment to a claim on the Bitcoin chain that is six deep. */
export const patienceMs = 150_000;

/** Both parts that a node of the sandbox has in each direction, with nobody but the payers beside it. */
export interface EveryDirection {
  /** A swap of the node's own, as a person opens it; resolves once it shows where to pay. */
  open(direction: TakerDirection): Promise<TakerSwap>;
  swapOf(id: string): Promise<TakerSwap>;
  /**
   * A plain client, which knows the published interface alone, makes one with the node; resolves once its last act is
   * done.
   */
  serve(direction: TakerDirection): Promise<{ readonly id: string }>;
}

/** Resolves once the node offers itself all of them. */
export async function everyDirection(node: WireNode): Promise<EveryDirection> {
  const { evm, bitcoin } = (await node.owner('GET', '/sandbox')) as { evm: Json; bitcoin: Json };
  const { tokens } = evm[String(chainId)] as { tokens: { symbol: string; address: string }[] };
  const usdc = tokens.find(({ symbol }) => symbol === 'USDC')?.address ?? '';
  const esplora = text(bitcoin, 'esploraUrl');
  await eventually(
    () => node.owner('GET', '/owner/taker/ways'),
    ({ ways }) => takerDirections.every((one) => (ways as Json[]).some(({ direction }) => direction === one)),
  );
  const swapOf = async (id: string) => (await node.owner('GET', `/owner/taker/swaps/${id}`)) as unknown as TakerSwap;
  const clients = clientsOf(node, usdc, esplora);
  return {
    async open(direction) {
      const id = await order(node, direction);
      return eventually(
        () => swapOf(id),
        ({ phase }) => phase === 'pay',
        patienceMs,
      );
    },
    swapOf,
    serve: (direction) => clients[direction](),
  };
}

/** At the price that was shown, and at the new one where that got worse meanwhile. */
async function order(node: WireNode, direction: TakerDirection, again = 3): Promise<string> {
  const [source, target] = direction.split('-');
  const chain = direction.includes('evm') ? { evm_chain_id: chainId } : {};
  const side = source === 'lightning' || target === 'evm' ? 'source' : 'target';
  const wish = { direction, side, amount: `${amount}`, ...chain };
  const { quotes } = await node.owner('POST', '/owner/taker/quotes', wish);
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
    return order(node, direction, again - 1);
  }
}

type Clients = { readonly [D in TakerDirection]: () => Promise<{ readonly id: string }> };

function clientsOf(node: WireNode, usdc: string, esplora: string): Clients {
  /** By a signature that the node relays; 503 asks its client to try again. */
  async function fund(swap: FromEvm): Promise<void> {
    const pay = { address: swap.account.address, token: usdc, amount: String(2n * swap.price) };
    await node.owner('POST', `/sandbox/evm/${chainId}/faucet`, pay);
    const signed = async () => fundGasless(node.url, swap, (await node.now()) + 3_600);
    const { status, body } = await eventually(signed, (reply) => reply.status !== 503, patienceMs);
    if (status !== 200) throw new Error(`the funding is refused with ${status}: ${JSON.stringify(body)}`);
  }

  return {
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
      const wish = { chainId, token: usdc, amount: { amount_in: amount } };
      const swap = await arkadeToEvm(node.url, await node.client(), wish);
      await node.faucet(swap.vhtlc.address, swap.price);
      await node.until(swap, 'serverfunded', patienceMs);
      const { status, body } = await claimGasless(node.url, swap);
      if (status !== 200) throw new Error(`the claim is refused with ${status}: ${JSON.stringify(body)}`);
      return swap;
    },
    async 'lightning-evm'() {
      const swap = await lightningToEvm(node.url, { chainId, token: usdc, amount: { amount_in: amount } });
      await node.pay(swap.bolt11);
      await node.until(swap, 'serverfunded', patienceMs);
      const { status, body } = await claimGasless(node.url, swap);
      if (status !== 200) throw new Error(`the claim is refused with ${status}: ${JSON.stringify(body)}`);
      return swap;
    },
    async 'bitcoin-evm'() {
      const swap = await bitcoinToEvm(node.url, { chainId, token: usdc, amount: { amount_in: amount } });
      const pay = { address: text(swap.record, 'btc_htlc_address'), amount: swap.price };
      await node.owner('POST', '/sandbox/bitcoin/faucet', pay);
      await node.until(swap, 'serverfunded', patienceMs);
      const { status, body } = await claimGasless(node.url, swap);
      if (status !== 200) throw new Error(`the claim is refused with ${status}: ${JSON.stringify(body)}`);
      return swap;
    },
    async 'lightning-bitcoin'() {
      const swap = await lightningToBitcoin(node.url, { amount: { target_amount_sats: amount } });
      await node.pay(swap.bolt11);
      await claimHtlc(esplora, swap, await node.until(swap, 'serverfunded', patienceMs));
      return swap;
    },
    async 'arkade-bitcoin'() {
      const swap = await arkadeToBitcoin(node.url, await node.client(), { amount: { target_amount_sats: amount } });
      await node.faucet(swap.vhtlc.address, swap.price);
      await claimHtlc(esplora, swap, await node.until(swap, 'serverfunded', patienceMs));
      return swap;
    },
    async 'bitcoin-lightning'() {
      const swap = await bitcoinToLightning(node.url, await node.invoice(amount));
      const pay = { address: text(swap.record, 'btc_htlc_address'), amount: swap.price };
      await node.owner('POST', '/sandbox/bitcoin/faucet', pay);
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
      const wish = { chainId, token: usdc, gasless: true, amount: { amount_out: amount } };
      const swap = await evmToBitcoin(node.url, wish);
      await fund(swap);
      await claimBitcoin(esplora, swap, await node.until(swap, 'serverfunded', patienceMs));
      return swap;
    },
    async 'evm-arkade'() {
      const { arkade } = await node.client();
      const wish = { chainId, token: usdc, gasless: true, amount: { amount_out: amount } };
      const swap = await evmToArkade(node.url, { arkade }, wish);
      await fund(swap);
      await node.until(swap, 'serverfunded', patienceMs);
      await arkade.claim(swap.vhtlc, swap.secret);
      return swap;
    },
  };
}
