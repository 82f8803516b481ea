import { msatPerSat } from '../../domain/money.ts';
import { namesOf } from './holdings.ts';
import { type Channel, channelsOf } from './node.ts';
import type { Lnd } from './rpc.ts';

/** A part of a payment that is held for us, of ln-service. */
interface Part {
  /** As block, transaction and output. */
  readonly in_channel: string;
  readonly mtokens: string;
}

/** In sats: what holds as much is in every commitment, whatever that pays for its transactions. */
const surely = 200_000n;
/** In sats, where nobody says another. */
const usualDust = 354n;
/** Weight of the transaction that claims an HTLC (BOLT 3). */
const claimWeight = 703n;
/** Forms whose HTLCs are left out where the fee of their own transaction takes them below dust. */
const feeForms: ReadonlySet<string> = new Set(['LEGACY', 'STATIC_REMOTE_KEY', 'UNKNOWN_COMMITMENT_TYPE']);

/**
 * The parts that their channels' commitments carry. Any other is nobody's once its channel closes: what it holds is its
 * miner's, and no preimage gets it (facts/faults.md 145).
 *
 * Loses money when wrong: something given for a payment in parts whose sender closes the channel once it has that.
 */
export async function carried<P extends Part>(node: Lnd, parts: readonly P[]): Promise<readonly P[]> {
  if (parts.every(({ mtokens }) => BigInt(mtokens) >= surely * msatPerSat)) return parts;
  const channels = await channelsNow(node);
  const leastOf = new Map(channels.flatMap((one) => namesOf(one).map((name) => [name, leastCarried(one)] as const)));
  const most = [...leastOf.values()].reduce((all, least) => (least > all ? least : all), usualDust);
  return parts.filter(
    ({ in_channel: channel, mtokens }) => BigInt(mtokens) >= (leastOf.get(numberOf(channel)) ?? most) * msatPerSat,
  );
}

/** A burst of payments has them listed once. One that is newer goes by the most that any of the others asks. */
const listed = new WeakMap<Lnd, { readonly at: number; readonly channels: Promise<readonly Channel[]> }>();
const listedForMs = 5_000;

function channelsNow(node: Lnd): Promise<readonly Channel[]> {
  const last = listed.get(node);
  if (last !== undefined && performance.now() - last.at < listedForMs) return last.channels;
  const channels = channelsOf(node);
  listed.set(node, { at: performance.now(), channels });
  channels.catch(() => listed.delete(node));
  return channels;
}

/** In sats, by the commitment of either side: whoever closes the channel sends its own. */
function leastCarried(channel: Channel): bigint {
  const { local_constraints: ours, remote_constraints: theirs, commitment_type: form, fee_per_kw: rate } = channel;
  const dust = [ours, theirs].reduce((most, { dust_limit_sat: limit }) => {
    const one = BigInt(limit ?? usualDust);
    return one > most ? one : most;
  }, 0n);
  return feeForms.has(form) ? dust + (BigInt(rate) * claimWeight + 999n) / 1_000n : dust;
}

/** As lnd lists channels: three numbers in one. */
function numberOf(channel: string): string {
  const [block = 0n, transaction = 0n, output = 0n] = channel.split('x').map(BigInt);
  return String((block << 40n) | (transaction << 16n) | output);
}
