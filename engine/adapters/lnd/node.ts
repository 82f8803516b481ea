import { getChannels, type GetChannelsResult, getRouteToDestination } from 'ln-service';
import { parsePaymentRequest } from 'invoices';
import { otherNetwork } from '../../domain/chain.ts';
import { isRefusal, PortFailure } from '../../domain/errors.ts';
import { toHex } from '../../domain/hex.ts';
import { type Sats, sats } from '../../domain/money.ts';
import { type Bolt11, msatPerSat } from '../../legs/lightning/invoice.ts';
import type { LightningInfo, LightningLiquidity } from '../../legs/lightning/port.ts';
import { decodeInvoice } from './decode.ts';
import { readError } from './failure.ts';
import { type Lnd, deadline, timed } from './rpc.ts';

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

type Channels = GetChannelsResult['channels'];

/** ln-service knows no genesis hash of signet, so lnd is asked by its own name for the network. */
export function getInfo(node: Lnd): Promise<GetInfo> {
  return timed(node, 'describe itself', 'safe', () => {
    return new Promise<GetInfo>((resolve, reject) => {
      node.lnd.default.getInfo({}, deadline(node), (error: unknown, row: GetInfo) => (error ? reject(error) : resolve(row)));
    });
  });
}

export async function info(node: Lnd): Promise<LightningInfo> {
  const answer = await getInfo(node);
  const network = answer.chains[0]?.network;
  if (network !== node.network) throw new PortFailure('lightning-wrong-network', 'safe', otherNetwork('The Lightning node', String(network), node.network));
  return {
    alias: answer.alias,
    pubkey: answer.identity_pubkey,
    version: answer.version,
    network,
    height: answer.block_height,
    synced: answer.synced_to_chain,
  };
}

export async function channelsOf(node: Lnd): Promise<Channels> {
  const { channels } = await timed(node, 'list its channels', 'safe', () => getChannels({ lnd: node.lnd }));
  return channels;
}

export function liquidityOf(channels: Channels): LightningLiquidity {
  let [outbound, inbound, pending] = [0, 0, 0];
  for (const channel of channels) {
    pending += channel.unsettled_balance;
    if (!channel.is_active) continue;
    outbound += Math.max(0, channel.local_balance - channel.local_reserve);
    inbound += Math.max(0, channel.remote_balance - channel.remote_reserve);
  }
  return { outbound: sats(outbound), inbound: sats(inbound), pending: sats(pending) };
}

export async function liquidity(node: Lnd): Promise<LightningLiquidity> {
  return liquidityOf(await channelsOf(node));
}

/** lnd's own default for splitting a payment, and into how many equal parts an estimate looks for a route. */
export const mostParts = 16;
const partCounts = [1, 2, 4, 8, mostParts];
const noRoute = /insufficient local balance|unable to find a path/i;

/**
 * Reckoned over the graph as lnd knows it: its own estimate sends an HTLC to the payee, and strangers could have it tie
 * up our channels. What no single HTLC can carry is reckoned in equal parts, each with the base fee of its route.
 */
export async function estimateFee(node: Lnd, bolt11: string): Promise<Sats | null> {
  const invoice = decodeInvoice(bolt11);
  if (isRefusal(invoice)) throw new PortFailure('invoice-malformed', 'never', invoice.sentence);
  const { amountMsat } = invoice;
  if (amountMsat === null) throw new PortFailure('invoice-malformed', 'never', 'The Lightning invoice carries no amount, so its fee cannot be told.');
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
