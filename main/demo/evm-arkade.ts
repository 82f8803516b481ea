import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { EvmArkadeRecord } from '../../engine/contract/directions/evm-arkade.ts';
import { inSats } from './amount.ts';
import { chainOf, ofToken } from './chains.ts';
import { follow } from './follow.ts';
import { lockTokens, refundAlone, refundTogether, type By } from './from-evm.ts';
import { ask, textOf } from './http.ts';
import { offered } from './offered.ts';
import { amount, exactly, type Balance, type Stops, type Tour } from './tour.ts';

interface Wish {
  readonly symbol: string;
  readonly by: By;
}

const chainId = '137';

/** A swap whose VHTLC the service has locked. */
async function locked(tour: Tour, { symbol, by }: Wish) {
  const { node, client, say } = tour;
  const chain = await chainOf(tour, 'source', chainId);
  await offered(node, { source: chainId, target: 'Arkade' });
  const token = chain.token(symbol);
  const secret = randomBytes(32);
  const created = await ask(node, 'POST', '/swap/evm/arkade', {
    arkade_htlc_script_version: 1,
    evm_chain_id: Number(chainId),
    hash_lock: `0x${createHash('sha256').update(secret).digest('hex')}`,
    receiver_pk: client.publicKey,
    target_address: client.address,
    token_address: token.address,
    user_address: client.evm.address,
    user_id: randomUUID(),
    amount_out: 2 * amount,
    gasless: by === 'node',
  });
  say(
    `  sends ${ofToken(token, textOf(created, 'source_amount'))} for ${textOf(created, 'target_amount')} sats on Arkade`,
  );
  const swap = follow(node, textOf(created, 'id'), say);
  const pending = (await swap.until('pending')) as unknown as Lock;
  const given = await lockTokens(tour, { chain, token, by }, pending);
  const record = (await swap.until('serverfunded')) as unknown as Lock;
  return { chain, token, swap, record, given, secret };
}

/** Of ours, which names the token of its lock. */
type Lock = EvmArkadeRecord & { readonly wbtc_address: string };

async function evmToArkade(tour: Tour, wish: Wish): Promise<Balance> {
  const { client } = tour;
  const { chain, token, swap, record, given, secret } = await locked(tour, wish);
  await client.claim({ ...record, address: record.btc_vhtlc_address }, secret);
  await swap.until('serverredeemed');
  const came = await client.balance();
  exactly(came, BigInt(record.target_amount), 'On Arkade');
  const rest = await chain.balance(token, client.evm.address);
  return { went: { ...rest, units: given - rest.units }, came: inSats(came) };
}

/** The service takes its VHTLC back by its locktime, and signs only then that the client has its tokens. */
async function neverClaimed(tour: Tour, by: 'both' | 'client'): Promise<Balance> {
  const { client, say, past } = tour;
  const wish = { symbol: 'WBTC', by: by === 'both' ? 'node' : 'client' } as const;
  const { chain, token, swap, record, given } = await locked(tour, wish);
  say('  claims nothing, and lets the time of our lock run');
  await past(record.vhtlc_refund_locktime + 60);
  await swap.until('clientfundedserverrefunded');
  if (by === 'both') await refundTogether(tour, record);
  else await refundAlone(tour, chain, record);
  await swap.until('clientrefundedserverrefunded');
  const came = await chain.balance(token, client.evm.address);
  exactly(came.units, given, 'On the chain');
  return { went: { ...came, units: given }, came };
}

export const evmArkadeStops: Stops = {
  swaps: [
    { name: 'WBTC to Arkade, funded by the node', run: (tour) => evmToArkade(tour, { symbol: 'WBTC', by: 'node' }) },
    {
      name: 'USDC, through its exchange, to Arkade, funded by the client',
      run: (tour) => evmToArkade(tour, { symbol: 'USDC', by: 'client' }),
    },
  ],
  refunds: [
    { name: 'WBTC to Arkade, never claimed: both locks go back', run: (tour) => neverClaimed(tour, 'both') },
    {
      name: 'WBTC to Arkade, never claimed: refunded by the client alone',
      run: (tour) => neverClaimed(tour, 'client'),
    },
  ],
};
