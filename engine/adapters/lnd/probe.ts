import { PortFailure } from '../../domain/errors.ts';
import { type Unix, unix } from '../../domain/time.ts';
import type { ClosingFunds, LightningLiquidity } from '../../legs/lightning/port.ts';
import { isSure } from './channel.ts';
import { closingFunds } from './closing.ts';
import { type Macaroon, readMacaroon } from './macaroon.ts';
import { channelsOf, getInfo, liquidityOf } from './node.ts';
import { type RightsJudged, judgeRights } from './permissions.ts';
import { type LndConnection, closeLnd, openLnd } from './rpc.ts';

/**
 * What an owner wants to know of a connection to lnd before money depends on it. Facts only: nothing is judged here.
 */
export interface LndProbe {
  /**
   * Null when the macaroon is none that lnd bakes. Read from the macaroon itself, so it is known of a node that is
   * away.
   */
  readonly rights: (Macaroon & RightsJudged) | null;
  /** Why the node did not tell, where it did not. */
  readonly node: LndFacts | PortFailure;
  readonly channels: LndChannels | PortFailure;
  readonly closing: ClosingFunds | PortFailure;
}

export interface LndFacts {
  readonly alias: string;
  readonly pubkey: string;
  readonly version: string;
  /** lnd's own name of it; may be one that no node of ours can be bound to. */
  readonly network: string;
  readonly height: number;
  readonly synced: boolean;
  readonly syncedToGraph: boolean;
  /** Stamp of the best block that lnd knows. */
  readonly tipTime: Unix;
  /** Milliseconds that lnd took to answer, after the connection stood. */
  readonly latencyMs: number;
}

export interface LndChannels extends LightningLiquidity {
  readonly active: number;
  readonly inactive: number;
  /** Of those that are active: what is held over them counts for nothing. */
  readonly unsure: number;
}

/** Asks lnd for nothing but reading; ends by itself within the connection's limit. */
export async function probeLnd(connection: LndConnection): Promise<LndProbe> {
  const macaroon = readMacaroon(connection.macaroon);
  const node = openLnd(connection);
  try {
    const [info, channels, closing] = await Promise.all([
      orFailure(getInfo(node)),
      orFailure(channelsOf(node)),
      orFailure(closingFunds(node)),
    ]);
    return {
      rights: macaroon === null ? null : { ...macaroon, ...judgeRights(macaroon) },
      node: info instanceof PortFailure ? info : await facts(info),
      channels: channels instanceof PortFailure ? channels : summary(channels),
      closing,
    };
  } finally {
    closeLnd(node);
  }

  async function facts(info: Awaited<ReturnType<typeof getInfo>>): Promise<LndFacts | PortFailure> {
    const startedAt = performance.now();
    const again = await orFailure(getInfo(node));
    if (again instanceof PortFailure) return again;
    return {
      alias: info.alias,
      pubkey: info.identity_pubkey,
      version: info.version,
      network: info.chains[0]?.network ?? 'an unnamed network',
      height: info.block_height,
      synced: info.synced_to_chain,
      syncedToGraph: info.synced_to_graph,
      tipTime: unix(Number(info.best_header_timestamp)),
      latencyMs: Math.round(performance.now() - startedAt),
    };
  }
}

function summary(channels: Awaited<ReturnType<typeof channelsOf>>): LndChannels {
  const active = channels.filter((channel) => channel.active);
  return {
    ...liquidityOf(channels),
    active: active.length,
    inactive: channels.length - active.length,
    unsure: active.filter((channel) => !isSure(channel)).length,
  };
}

async function orFailure<T>(call: Promise<T>): Promise<T | PortFailure> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof PortFailure) return error;
    throw error;
  }
}
