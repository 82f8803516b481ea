import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { ArkadeEvmRecord } from '../../engine/contract/directions/arkade-evm.ts';
import { inSats } from './amount.ts';
import { claimGasless, redeemData } from './claim-gasless.ts';
import { chainOf, giveGas, ofToken } from './chains.ts';
import { follow } from './follow.ts';
import { refundAlone, refundTogether } from './from-arkade.ts';
import { ask, textOf } from './http.ts';
import { amount, atLeast, exactly, type Balance, type Stop, type Stops, type Tour } from './tour.ts';

interface Wish {
  readonly chain: string;
  readonly symbol: string;
  /** Null for a claim that the node sends; the client's account then has no coins. */
  readonly by: 'node' | 'client';
}

/** A swap whose lock stands on the chain. */
async function funded(tour: Tour, { chain: id, symbol, by }: Wish) {
  const { node, client, say } = tour;
  const chain = await chainOf(tour, 'target', id);
  const token = chain.token(symbol);
  const secret = randomBytes(32);
  const destination = `0x${randomBytes(20).toString('hex')}`;
  const created = await ask(node, 'POST', '/swap/arkade/evm', {
    arkade_htlc_script_version: 1,
    claiming_address: client.evm.address,
    evm_chain_id: Number(id),
    hash_lock: `0x${createHash('sha256').update(secret).digest('hex')}`,
    refund_pk: client.publicKey,
    target_address: destination,
    token_address: token.address,
    user_id: randomUUID(),
    amount_in: 2 * amount,
    gasless: by === 'node',
  });
  const pays = textOf(created, 'source_amount');
  say(`  sends ${pays} sats on Arkade for ${ofToken(token, textOf(created, 'target_amount'))}`);
  const swap = follow(node, textOf(created, 'id'), say);
  await swap.until('pending');
  await ask(node, 'POST', '/sandbox/arkade/faucet', {
    address: textOf(created, 'btc_vhtlc_address'),
    amount: Number(pays),
  });
  const record = (await swap.until('serverfunded')) as unknown as ArkadeEvmRecord;
  return { chain, token, swap, record, secret, destination, went: inSats(BigInt(pays)) };
}

async function arkadeToEvm(tour: Tour, wish: Wish): Promise<Balance> {
  const { chain, token, swap, record, secret, destination, went } = await funded(tour, wish);
  const claim = { secret, destination };
  let data;
  if (wish.by === 'node') data = await claimGasless(tour, record, claim);
  else {
    data = await redeemData(tour, record.id, destination);
    await giveGas(chain);
    tour.say(`  claims by ${await chain.account.claim(record, data, claim)}`);
  }
  await swap.until('serverredeemed');
  const came = await chain.balance(token, destination);
  if (data.dex_calldata === undefined) exactly(came.units, BigInt(record.target_amount), 'At the destination');
  else atLeast(came.units, BigInt(data.min_amount_out), 'At the destination');
  return { went, came };
}

/** The service takes its lock back first, and signs only then that the client has its own. */
async function neverClaimed(tour: Tour, by: 'both' | 'client'): Promise<Balance> {
  const { client, say, past } = tour;
  const { swap, record, went } = await funded(tour, { chain: '137', symbol: 'WBTC', by: 'node' });
  say('  claims nothing, and lets the time of both locks run');
  await past(record.evm_refund_locktime + 60);
  await swap.until('clientfundedserverrefunded');
  const coin = { ...record, address: record.btc_vhtlc_address };
  if (by === 'both') await refundTogether(tour, '/api/swap/arkade-evm', coin);
  else await refundAlone(tour, coin);
  await swap.until('clientrefundedserverrefunded');
  const came = inSats(await client.balance());
  exactly(came.units, went.units, 'On Arkade');
  return { went, came };
}

function swapsTo(name: string, chain: string, symbol: string): readonly Stop[] {
  return [
    { name: `Arkade to ${name}, claimed by the node`, run: (tour) => arkadeToEvm(tour, { chain, symbol, by: 'node' }) },
    {
      name: `Arkade to ${name}, claimed by the client`,
      run: (tour) => arkadeToEvm(tour, { chain, symbol, by: 'client' }),
    },
  ];
}

export const arkadeEvmStops: Stops = {
  swaps: [
    ...swapsTo('WBTC', '137', 'WBTC'),
    ...swapsTo('USDC, through its exchange', '137', 'USDC'),
    ...swapsTo('the coin of a chain', '31', 'RBTC'),
  ],
  refunds: [
    { name: 'Arkade to WBTC, never claimed: both locks go back', run: (tour) => neverClaimed(tour, 'both') },
    {
      name: 'Arkade to WBTC, never claimed: refunded by the client alone',
      run: (tour) => neverClaimed(tour, 'client'),
    },
  ],
};
