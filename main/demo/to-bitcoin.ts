import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { inSats, type Amount } from './amount.ts';
import { bitcoinOf, mining } from './blocks.ts';
import { cosign } from './cosign.ts';
import type { Followed } from './follow.ts';
import { amount, exactly, type Balance, type Stop, type Tour } from './tour.ts';

/** A swap to an HTLC on the Bitcoin chain with the key of both, which the service has funded. */
interface Funded {
  readonly swap: Followed;
  readonly record: Claimable & { readonly id: string; readonly target_amount: string };
  readonly secret: Uint8Array;
  readonly went: Amount;
}

type Account = Awaited<ReturnType<typeof bitcoinOf>>;
/** What of a record a claim by the key of both goes by. */
type Claimable = Parameters<Account['claimTogether']>[0];
type By = 'client' | 'both';

/** The part of an order that asks for bitcoin on chain, and the secret that it hangs on. */
export function ordered({ client }: Tour) {
  const secret = randomBytes(32);
  const body = {
    btc_htlc_script_version: 2,
    claim_pk: client.publicKey,
    hash_lock: `0x${createHash('sha256').update(secret).digest('hex')}`,
    user_id: randomUUID(),
    target_amount_sats: 2 * amount,
    target_address: client.bitcoin.address,
  };
  return { secret, body };
}

/** Claims what the service has funded, by the script or by the key of both. */
async function claimed(tour: Tour, by: By, { swap, record, secret, went }: Funded): Promise<Balance> {
  const { node, say } = tour;
  const account = await bitcoinOf(tour);
  const { txids, fee } =
    by === 'client'
      ? await account.claimAggregate(record, secret)
      : await account.claimTogether(record, secret, (wish) => cosign(node, record, { secret }, wish));
  say(`  claims by ${txids.join(' and ')}, for a fee of ${fee} sats`);
  await swap.until('serverredeemed');
  await mining(node, Promise.resolve());
  const came = inSats(await account.balance());
  exactly(came.units, BigInt(record.target_amount) - fee, 'On chain');
  return { went, came };
}

/** Each way in which it is claimed. */
export function swapsTo(source: string, funded: (tour: Tour) => Promise<Funded>): readonly Stop[] {
  const run = (by: By) => async (tour: Tour) => claimed(tour, by, await funded(tour));
  return [
    { name: `${source} to Bitcoin`, run: run('client') },
    { name: `${source} to Bitcoin, claimed by both`, run: run('both') },
  ];
}
