import { randomUUID } from 'node:crypto';
import type { EvmLightningRecord } from '../../engine/contract/directions/evm-lightning.ts';
import { chainOf, ofToken } from './chains.ts';
import { follow } from './follow.ts';
import { lockTokens, refundAlone, refundTogether, type By } from './from-evm.ts';
import { ask, refusalOf, textOf } from './http.ts';
import { heldInvoice, openInvoice, paid, refused } from './payment.ts';
import { amount, exactly, type Balance, type Stop, type Stops, type Tour } from './tour.ts';

interface Wish {
  readonly symbol: string;
  readonly by: By;
  /** Whether the payee takes the payment. */
  readonly pays: boolean;
}

const chainId = '137';

async function funded(tour: Tour, { symbol, by, pays }: Wish) {
  const { node, client, say } = tour;
  const chain = await chainOf(tour, 'source', chainId);
  const token = chain.token(symbol);
  const { bolt11, hash } = await (pays ? openInvoice : heldInvoice)(node);
  const created = await ask(node, 'POST', '/swap/evm/lightning', {
    evm_chain_id: Number(chainId),
    token_address: token.address,
    user_address: client.evm.address,
    user_id: randomUUID(),
    lightning_invoice: bolt11,
    gasless: by === 'node',
  });
  say(
    `  sends ${ofToken(token, textOf(created, 'source_amount'))} for a payment of ` +
      `${textOf(created, 'target_amount')} sats`,
  );
  const id = textOf(created, 'id');
  const swap = follow(node, id, say);
  const record = (await swap.until('pending')) as unknown as EvmLightningRecord;
  const given = await lockTokens(tour, { chain, token, by }, record);
  return { chain, token, swap, record, given, hash };
}

async function evmToLightning(tour: Tour, wish: Omit<Wish, 'pays'>): Promise<Balance> {
  const { chain, token, swap, given } = await funded(tour, { ...wish, pays: true });
  const record = await swap.until('serverredeemed');
  const rest = await chain.balance(token, tour.client.evm.address);
  return { went: { ...rest, units: given - rest.units }, came: await paid(tour.node, record) };
}

/** The payee does not take the payment, which leaves the lock to be given back. */
async function unpaid(tour: Tour, by: By) {
  const all = await funded(tour, { symbol: 'WBTC', by, pays: false });
  await refused(tour, all);
  return all;
}

async function allBack(tour: Tour, { chain, token, given }: Awaited<ReturnType<typeof unpaid>>): Promise<Balance> {
  const came = await chain.balance(token, tour.client.evm.address);
  exactly(came.units, given, 'On the chain');
  return { went: { ...came, units: given }, came };
}

async function refundedTogether(tour: Tour): Promise<Balance> {
  const all = await unpaid(tour, 'node');
  await refundTogether(tour, all.record);
  await all.swap.until('clientrefunded');
  return allBack(tour, all);
}

async function refundedAlone(tour: Tour): Promise<Balance> {
  const all = await unpaid(tour, 'client');
  await refundAlone(tour, all.chain, all.record);
  await all.swap.until('clientrefunded');
  return allBack(tour, all);
}

async function refusedCoin(tour: Tour): Promise<Balance> {
  const { node, client, say } = tour;
  const chain = await chainOf(tour, 'target', '31');
  const { bolt11 } = await ask(node, 'POST', '/sandbox/lightning/invoice', { amount_sats: amount });
  const { status, sentence } = await refusalOf(node, '/swap/evm/lightning', {
    evm_chain_id: 31,
    token_address: chain.token('RBTC').address,
    user_address: client.evm.address,
    user_id: randomUUID(),
    lightning_invoice: bolt11,
  });
  say(`  ${status}: ${sentence}`);
  if (status !== 400) throw new Error(`The answer is ${status}, not 400.`);
  return null;
}

function swapsFrom(name: string, symbol: string): readonly Stop[] {
  return [
    { name: `${name} to Lightning, funded by the node`, run: (tour) => evmToLightning(tour, { symbol, by: 'node' }) },
    {
      name: `${name} to Lightning, funded by the client`,
      run: (tour) => evmToLightning(tour, { symbol, by: 'client' }),
    },
  ];
}

export const evmLightningStops: Stops = {
  swaps: [...swapsFrom('WBTC', 'WBTC'), ...swapsFrom('USDC', 'USDC')],
  refunds: [
    { name: 'WBTC to Lightning, not paid: refunded by both', run: refundedTogether },
    { name: 'The coin of a chain to Lightning: refused', run: refusedCoin },
    { name: 'WBTC to Lightning, not paid: refunded by the client alone', run: refundedAlone },
  ],
};
