import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Records } from '../../engine/contract/directions/directions.ts';
import { inSats } from './amount.ts';
import { bitcoinOf, mining } from './blocks.ts';
import { chainOf, ofToken } from './chains.ts';
import { follow } from './follow.ts';
import { lockTokens, refundAlone, refundTogether, type By } from './from-evm.ts';
import { ask, textOf } from './http.ts';
import { offered } from './offered.ts';
import { amount, exactly, type Balance, type Stop, type Stops, type Tour } from './tour.ts';

interface Wish {
  readonly symbol: string;
  readonly by: By;
}

const chainId = '137';

/** A swap whose HTLC the service has funded. */
async function funded(tour: Tour, { symbol, by }: Wish) {
  const { node, client, say } = tour;
  const chain = await chainOf(tour, 'source', chainId);
  await offered(node, { source: chainId, target: 'Bitcoin' });
  const token = chain.token(symbol);
  const secret = randomBytes(32);
  const created = await ask(node, 'POST', '/swap/evm/bitcoin', {
    btc_htlc_script_version: 1,
    claim_pk: client.publicKey,
    evm_chain_id: Number(chainId),
    hash_lock: `0x${createHash('sha256').update(secret).digest('hex')}`,
    token_address: token.address,
    user_address: client.evm.address,
    user_id: randomUUID(),
    amount_out: 2 * amount,
    gasless: by === 'node',
    target_address: client.bitcoin.address,
  });
  say(
    `  sends ${ofToken(token, textOf(created, 'source_amount'))} for ${textOf(created, 'target_amount')} sats on chain`,
  );
  const swap = follow(node, textOf(created, 'id'), say);
  const pending = (await swap.until('pending')) as unknown as Records['evm-bitcoin'];
  const lock = { ...pending, hash_lock: pending.evm_hash_lock };
  const given = await lockTokens(tour, { chain, token, by }, lock);
  // The service funds out of coins that are in a block.
  const record = (await mining(node, swap.until('serverfunded'))) as unknown as Records['evm-bitcoin'];
  return { chain, token, swap, record, lock, given, secret };
}

async function evmToBitcoin(tour: Tour, wish: Wish): Promise<Balance> {
  const { node, client, say } = tour;
  const { chain, token, swap, record, given, secret } = await funded(tour, wish);
  const account = await bitcoinOf(tour);
  const { txids, fee } = await account.claim(record, secret);
  say(`  claims by ${txids.join(' and ')}, for a fee of ${fee} sats`);
  await mining(node, swap.until('serverredeemed'));
  const came = inSats(await account.balance());
  exactly(came.units, BigInt(record.target_amount) - fee, 'On chain');
  const rest = await chain.balance(token, client.evm.address);
  return { went: { ...rest, units: given - rest.units }, came };
}

/** The service takes its bitcoin back by its locktime, and signs only then that the client has its tokens. */
async function neverClaimed(tour: Tour, by: 'both' | 'client'): Promise<Balance> {
  const { node, client, say, past } = tour;
  const wish = { symbol: 'WBTC', by: by === 'both' ? 'node' : 'client' } as const;
  const { chain, token, swap, record, lock, given } = await funded(tour, wish);
  say('  claims nothing, and lets the time of both locks run');
  await past(record.btc_refund_locktime + 60);
  await mining(node, swap.until('clientfundedserverrefunded'));
  if (by === 'both') await refundTogether(tour, lock);
  else await refundAlone(tour, chain, record);
  await swap.until('clientrefundedserverrefunded');
  const came = await chain.balance(token, client.evm.address);
  exactly(came.units, given, 'On the chain');
  return { went: { ...came, units: given }, came };
}

function swapsFrom(name: string, symbol: string): readonly Stop[] {
  return [
    { name: `${name} to Bitcoin, funded by the node`, run: (tour) => evmToBitcoin(tour, { symbol, by: 'node' }) },
    { name: `${name} to Bitcoin, funded by the client`, run: (tour) => evmToBitcoin(tour, { symbol, by: 'client' }) },
  ];
}

export const evmBitcoinStops: Stops = {
  swaps: [...swapsFrom('WBTC', 'WBTC'), ...swapsFrom('USDC, through its exchange,', 'USDC')],
  refunds: [
    { name: 'WBTC to Bitcoin, never claimed: both locks go back', run: (tour) => neverClaimed(tour, 'both') },
    {
      name: 'WBTC to Bitcoin, never claimed: refunded by the client alone',
      run: (tour) => neverClaimed(tour, 'client'),
    },
  ],
};
