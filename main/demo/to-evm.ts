import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Amount } from './amount.ts';
import { chainOf, giveGas, type Chain, type Token } from './chains.ts';
import { claimGasless, redeemData } from './claim-gasless.ts';
import { amount, atLeast, exactly, type Balance, type Stop, type Tour } from './tour.ts';

/** What a stop swaps to, and who sends its claim: by the node it is sent for an account without coins. */
export interface Wish {
  readonly chain: string;
  readonly symbol: string;
  readonly by: 'node' | 'client';
}

/** The part of a create that every direction to an EVM chain has, and what it was made of. */
export async function ordered(tour: Tour, { chain: id, symbol, by }: Wish) {
  const { client } = tour;
  const chain = await chainOf(tour, 'target', id);
  const token = chain.token(symbol);
  const secret = randomBytes(32);
  const destination = `0x${randomBytes(20).toString('hex')}`;
  const body = {
    claiming_address: client.evm.address,
    evm_chain_id: Number(id),
    hash_lock: `0x${createHash('sha256').update(secret).digest('hex')}`,
    target_address: destination,
    token_address: token.address,
    user_id: randomUUID(),
    amount_in: 2 * amount,
    gasless: by === 'node',
  };
  return { chain, token, secret, destination, body };
}

type Claimable = Parameters<typeof claimGasless>[1] & { readonly target_amount: string };

/** A swap whose lock stands on the chain. */
export interface Locked {
  readonly chain: Chain;
  readonly token: Token;
  readonly record: Claimable;
  readonly secret: Buffer;
  readonly destination: string;
  readonly went: Amount;
  /** Until the service has what the client gave. */
  readonly ended: () => Promise<unknown>;
}

/** Claims the lock, and compares what came with what was agreed. */
export async function claimed(tour: Tour, by: Wish['by'], locked: Locked): Promise<Balance> {
  const { chain, token, record, secret, destination, went, ended } = locked;
  const claim = { secret, destination };
  let data;
  if (by === 'node') data = await claimGasless(tour, record, claim);
  else {
    data = await redeemData(tour, record.id, destination);
    await giveGas(chain);
    tour.say(`  claims by ${await chain.account.claim(record, data, claim)}`);
  }
  await ended();
  const came = await chain.balance(token, destination);
  if (data.dex_calldata === undefined) exactly(came.units, BigInt(record.target_amount), 'At the destination');
  else atLeast(came.units, BigInt(data.min_amount_out), 'At the destination');
  return { went, came };
}

/** The pegged token, one that its exchange makes of it, and the coin of a chain: by the node each, and alone. */
export function swapsTo(from: string, run: (tour: Tour, wish: Wish) => Promise<Balance>): readonly Stop[] {
  const targets = [
    ['WBTC', '137', 'WBTC'],
    ['USDC, through its exchange', '137', 'USDC'],
    ['the coin of a chain', '31', 'RBTC'],
  ] as const;
  return targets.flatMap(([name, chain, symbol]) =>
    (['node', 'client'] as const).map((by) => ({
      name: `${from} to ${name}, claimed by the ${by}`,
      run: (tour: Tour) => run(tour, { chain, symbol, by }),
    })),
  );
}
