import { msatPerSat } from '../../domain/money.ts';
import { type Channel, isSure, leastCarried } from './channel.ts';
import { namesOf } from './holdings.ts';
import { channelsOf } from './node.ts';
import type { Lnd } from './rpc.ts';

/** A part of a payment that is held for us, of ln-service. */
interface Part {
  /** As block, transaction and output. */
  readonly in_channel: string;
  readonly mtokens: string;
}

/**
 * The parts that are surely ours by their channels' commitments. Dust is nobody's once its channel closes: what it
 * holds is its miner's, and no preimage gets it (facts/faults.md 145). Nor does a part count over a channel that is not
 * sure, is closing, or is unknown (facts/faults.md 252).
 *
 * Loses money when wrong: something given for a payment in parts whose sender closes the channel once it has that.
 */
export async function carried<P extends Part>(node: Lnd, parts: readonly P[]): Promise<readonly P[]> {
  const least = await leastFor(node, parts);
  return parts.filter((part) => {
    const sats = least.get(numberOf(part)) ?? null;
    return sats !== null && BigInt(part.mtokens) >= sats * msatPerSat;
  });
}

/** By each name of a channel, the least that it carries; null where nothing is sure. */
type Least = ReadonlyMap<string, bigint | null>;

async function leastFor(node: Lnd, parts: readonly Part[]): Promise<Least> {
  const least = leastBy(await channelsNow(node));
  if (parts.every((part) => least.has(numberOf(part)))) return least;
  listed.delete(node);
  return leastBy(await channelsNow(node));
}

function leastBy(channels: readonly Channel[]): Least {
  return new Map(
    channels.flatMap((one) => {
      const least = isSure(one) ? leastCarried(one) : null;
      return namesOf(one).map((name) => [name, least] as const);
    }),
  );
}

/** A burst of payments has them listed once, and once more for a channel that is newer. */
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

/** As lnd lists channels: three numbers in one. */
function numberOf({ in_channel: channel }: Part): string {
  const [block = 0n, transaction = 0n, output = 0n] = channel.split('x').map(BigInt);
  return String((block << 40n) | (transaction << 16n) | output);
}
