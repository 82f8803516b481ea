import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { EvmLightningRecord } from '../../engine/contract/directions/evm-lightning.ts';
import type { Permit2Funding } from '../../engine/contract/records/evm.ts';
import type { CollabRefundEvmParams, RefundCalldata } from '../../engine/contract/records/refunds.ts';
import { chainOf, giveGas } from './chains.ts';
import { follow } from './follow.ts';
import { ask, refusalOf, textOf } from './http.ts';
import { paid } from './payment.ts';
import { amount, exactly, patienceMs, type Balance, type Stop, type Stops, type Tour } from './tour.ts';

interface Wish {
  readonly symbol: string;
  readonly by: 'node' | 'client';
  /** Whether the payee takes the payment. */
  readonly pays: boolean;
}

const chainId = '137';

async function funded(tour: Tour, { symbol, by, pays }: Wish) {
  const { node, client, say } = tour;
  const chain = await chainOf(tour, 'source', chainId);
  const token = chain.token(symbol);
  const { bolt11, payment_hash } = await ask(node, 'POST', '/sandbox/lightning/invoice', {
    amount_sats: 2 * amount,
    hold: !pays,
  });
  const created = await ask(node, 'POST', '/swap/evm/lightning', {
    evm_chain_id: Number(chainId),
    token_address: token.address,
    user_address: client.evm.address,
    user_id: randomUUID(),
    lightning_invoice: bolt11,
    gasless: by === 'node',
  });
  const price = textOf(created, 'source_amount');
  say(`  sends ${price} units of ${symbol} for a payment of ${textOf(created, 'target_amount')} sats`);
  const id = textOf(created, 'id');
  const swap = follow(node, id, say);
  const record = (await swap.until('pending')) as unknown as EvmLightningRecord;
  const data = (await ask(node, 'GET', `/swap/${id}/swap-and-lock-calldata-permit2`)) as unknown as Permit2Funding;
  await chain.give(token, BigInt(data.source_amount));
  const deadline = Number((await ask(node, 'GET', '/sandbox'))['clock']) + 3_600;
  const signsPermits = data.eip2612?.supported === true;
  if (by === 'client' || !signsPermits) {
    await giveGas(chain);
    await chain.account.approve(data);
    if (by === 'node') say(`  ${symbol} takes no signed permits: its owner has approved Permit2, once for all swaps`);
  }
  if (by === 'client') say(`  locks by ${await chain.account.fund(record, data, deadline)}`);
  else await ask(node, 'POST', `/swap/${id}/fund-gasless`, await client.evm.fund(record, data, deadline));
  const given = BigInt(data.source_amount);
  return { chain, token, swap, record, given, hash: String(payment_hash) };
}

async function evmToLightning(tour: Tour, wish: Omit<Wish, 'pays'>): Promise<Balance> {
  const { chain, token, swap, given } = await funded(tour, { ...wish, pays: true });
  const record = await swap.until('serverredeemed');
  const rest = await chain.balance(token, tour.client.evm.address);
  return { went: { ...rest, units: given - rest.units }, came: await paid(tour.node, record) };
}

/** The payee does not take the payment, which leaves the lock to be given back. */
async function unpaid(tour: Tour, by: Wish['by']) {
  const all = await funded(tour, { symbol: 'WBTC', by, pays: false });
  const { node, say } = tour;
  await all.swap.until('serverfunded');
  say('  the payee refuses the payment');
  await ask(node, 'POST', '/sandbox/lightning/release', { payment_hash: all.hash, outcome: 'fails' });
  await all.swap.until('serverwontfund');
  return all;
}

async function allBack(tour: Tour, { chain, token, given }: Awaited<ReturnType<typeof unpaid>>): Promise<Balance> {
  const came = await chain.balance(token, tour.client.evm.address);
  exactly(came.units, given, 'On the chain');
  return { went: { ...came, units: given }, came };
}

async function refundedTogether(tour: Tour): Promise<Balance> {
  const { node, client } = tour;
  const all = await unpaid(tour, 'node');
  const path = `/api/swap/${all.record.id}/collab-refund-evm`;
  const params = (await ask(node, 'GET', `${path}/params`)) as unknown as CollabRefundEvmParams;
  await ask(node, 'POST', path, await client.evm.refund(all.record, params));
  await all.swap.until('clientrefunded');
  return allBack(tour, all);
}

async function refundedAlone(tour: Tour): Promise<Balance> {
  const { node, past, say } = tour;
  const all = await unpaid(tour, 'client');
  const path = `/swap/${all.record.id}/refund-and-swap-calldata`;
  const call = (await ask(node, 'GET', path)) as unknown as RefundCalldata;
  say('  asks nobody, and lets the time of its lock run');
  await past(all.record.evm_refund_locktime + 60);
  say(`  takes it back by ${await patiently(() => all.chain.account.refund(call))}`);
  await all.swap.until('clientrefunded');
  return allBack(tour, all);
}

/** The chain's own clock follows with its next block. */
async function patiently<T>(act: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(1_000);
    }
  }
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
