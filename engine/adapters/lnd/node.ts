import { getRouteToDestination } from 'ln-service';
import { parsePaymentRequest } from 'invoices';
import { otherNetwork } from '../../domain/chain.ts';
import { isRefusal } from '../../domain/errors.ts';
import { toHex } from '../../domain/hex.ts';
import { msatPerSat, type Sats, sats } from '../../domain/money.ts';
import { mostParts } from '../../legs/lightning/closing-cost.ts';
import type { Bolt11 } from '../../legs/lightning/invoice.ts';
import { unix } from '../../domain/time.ts';
import { lightningFailure } from '../../legs/lightning/failures.ts';
import type { LightningInfo, LightningLiquidity } from '../../legs/lightning/port.ts';
import { type Channel, hasSlot, isSure, leastCarried } from './channel.ts';
import { decodeInvoice } from './decode.ts';
import { readError } from './failure.ts';
import { type Lnd, timed, unary } from './rpc.ts';

/** lnd's own names. */
export interface GetInfo {
  readonly alias: string;
  readonly identity_pubkey: string;
  readonly version: string;
  readonly block_height: number;
  readonly best_header_timestamp: string;
  readonly synced_to_chain: boolean;
  readonly synced_to_graph: boolean;
  readonly chains: readonly { readonly network: string }[];
}

/** ln-service knows no genesis hash of signet, so lnd is asked by its own name for the network. */
export function getInfo(node: Lnd): Promise<GetInfo> {
  return timed(node, 'describe itself', 'safe', () =>
    unary<GetInfo>(node, (options, done) => node.lnd.default.getInfo({}, options, done)),
  );
}

export async function info(node: Lnd): Promise<LightningInfo> {
  const answer = await getInfo(node);
  const network = answer.chains[0]?.network;
  if (network !== node.network)
    throw lightningFailure('other-network', 'safe', otherNetwork('The Lightning node', String(network), node.network));
  return {
    alias: answer.alias,
    pubkey: answer.identity_pubkey,
    version: answer.version,
    network,
    height: answer.block_height,
    tipTime: unix(Number(answer.best_header_timestamp)),
    synced: answer.synced_to_chain,
  };
}

export async function channelsOf(node: Lnd): Promise<readonly Channel[]> {
  const { channels } = await timed(node, 'list its channels', 'safe', () =>
    unary<{ channels: readonly Channel[] }>(node, (options, done) => node.lnd.default.listChannels({}, options, done)),
  );
  return channels;
}

/**
 * Weight units whose fee the opener must keep besides its reserve to add an HTLC: lnd wants a commitment with two more
 * of them at twice the rate, 2 x (1,124 + 2 x 172), and what the present one costs, 1,124, is in nobody's balance.
 */
const bufferWeight = 1_812;

export function liquidityOf(channels: readonly Channel[]): LightningLiquidity {
  let [outbound, inbound, pending, leastHeld] = [0, 0, 0, 0n];
  for (const channel of channels) {
    pending += Number(channel.unsettled_balance);
    if (!channel.active) continue;
    const buffer = Math.ceil((Number(channel.fee_per_kw) * bufferWeight) / 1_000);
    const [ours, theirs] = channel.initiator ? [buffer, 0] : [0, buffer];
    if (hasSlot(channel, 'ours'))
      outbound += Math.max(
        0,
        Number(channel.local_balance) - Number(channel.local_constraints.chan_reserve_sat) - ours,
      );
    if (!isSure(channel)) continue;
    const least = leastCarried(channel);
    leastHeld = least > leastHeld ? least : leastHeld;
    if (hasSlot(channel, 'theirs'))
      inbound += Math.max(
        0,
        Number(channel.remote_balance) - Number(channel.remote_constraints.chan_reserve_sat) - theirs,
      );
  }
  return { outbound: sats(outbound), inbound: sats(inbound), pending: sats(pending), leastHeld: sats(leastHeld) };
}

export async function liquidity(node: Lnd): Promise<LightningLiquidity> {
  return liquidityOf(await channelsOf(node));
}

/** Into how many equal parts an estimate looks for a route. */
const partCounts = [1, 2, 4, 8, mostParts];
const noRoute = /insufficient local balance|unable to find a path/i;

/**
 * Reckoned over the graph as lnd knows it: its own estimate sends an HTLC to the payee, and strangers could have it tie
 * up our channels. What no single HTLC can carry is reckoned in equal parts, each with the base fee of its route.
 */
export async function estimateFee(node: Lnd, bolt11: string): Promise<Sats | null> {
  const invoice = decodeInvoice(bolt11);
  if (isRefusal(invoice)) throw lightningFailure('invoice-malformed', 'never', invoice.sentence);
  const { amountMsat } = invoice;
  if (amountMsat === null)
    throw lightningFailure(
      'invoice-malformed',
      'never',
      'The Lightning invoice carries no amount, so its fee cannot be told.',
    );
  for (const parts of partCounts) {
    const feeMsat = await routeFee(node, invoice, (amountMsat + BigInt(parts) - 1n) / BigInt(parts));
    if (feeMsat === null) continue;
    const fee = sats((feeMsat * BigInt(parts) + msatPerSat - 1n) / msatPerSat);
    // One part says nothing about the others: together they need what the channels hold.
    if (parts > 1 && amountMsat / msatPerSat + fee > (await liquidity(node)).outbound) return null;
    return fee;
  }
  return null;
}

/** Millisatoshis of the best route that lnd knows for one HTLC; null when there is none. */
async function routeFee(node: Lnd, invoice: Bolt11, msat: bigint): Promise<bigint | null> {
  const { routes } = parsePaymentRequest({ request: invoice.text });
  const { route } = await timed(node, 'find a route', 'safe', () => {
    return getRouteToDestination({
      lnd: node.lnd,
      destination: toHex(invoice.payee),
      cltv_delta: invoice.finalCltv,
      mtokens: String(msat),
      ...(routes === undefined ? {} : { routes }),
    }).catch((error: unknown) => {
      if (noRoute.test(readError(error).details)) return { route: undefined };
      throw error;
    });
  });
  return route === undefined ? null : BigInt(route.fee_mtokens);
}
