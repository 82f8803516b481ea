import { getChannels, type GetChannelsResult, getRouteToDestination } from 'ln-service';
import { parsePaymentRequest } from 'invoices';
import { otherNetwork } from '../../domain/chain.ts';
import { isRefusal, PortFailure } from '../../domain/errors.ts';
import { type Sats, sats } from '../../domain/money.ts';
import { msatPerSat } from '../../legs/lightning/invoice.ts';
import type { LightningInfo, LightningLiquidity } from '../../legs/lightning/port.ts';
import { decodeInvoice } from './decode.ts';
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

export async function estimateFee(node: Lnd, bolt11: string): Promise<Sats | null> {
  const invoice = decodeInvoice(bolt11);
  if (isRefusal(invoice)) throw new PortFailure('invoice-malformed', 'never', invoice.sentence);
  const { routes } = parsePaymentRequest({ request: invoice.text });
  const { route } = await timed(node, 'find a route', 'safe', () => {
    return getRouteToDestination({
      lnd: node.lnd,
      destination: Buffer.from(invoice.payee).toString('hex'),
      cltv_delta: invoice.finalCltv,
      mtokens: String(invoice.amountMsat ?? 0n),
      ...(routes === undefined ? {} : { routes }),
    });
  });
  if (route === undefined) return null;
  return sats((BigInt(route.fee_mtokens) + msatPerSat - 1n) / msatPerSat);
}
