import type { BitcoinWorld } from '../../world/bitcoin/chain.ts';
import { doubleHash } from '../../world/bitcoin/header.ts';
import type { LightningWorld } from '../../world/lightning/lightning.ts';
import { channelCapacityMsat } from '../../world/lightning/network.ts';
import type { Streaming, Unary } from './calls.ts';
import { bytesOf, noAnswer } from './calls.ts';
import { amountMessage, channels, featureMap, satsOf } from './messages.ts';

const alias = 'sandbox';

export function infoCalls(
  world: LightningWorld,
  bitcoin: BitcoinWorld,
): Record<'getInfo' | 'channelBalance' | 'listChannels' | 'pendingChannels', Unary> {
  return {
    getInfo() {
      if (world.faults().chain === 'away') return noAnswer;
      const tip = bitcoin.tip();
      const peers = world.faults().peer === 'back' ? 1 : 0;
      return {
        version: `${world.like.version} commit=sandbox`,
        identity_pubkey: world.pubkey('node'),
        alias,
        color: '#3399ff',
        num_active_channels: peers,
        num_inactive_channels: 1 - peers,
        num_peers: peers,
        block_height: tip.height,
        block_hash: tip.hash,
        best_header_timestamp: tip.time,
        synced_to_chain: true,
        synced_to_graph: true,
        chains: [{ chain: 'bitcoin', network: 'regtest' }],
        uris: [],
        features: featureMap(),
      };
    },
    channelBalance() {
      const { node, hubToNode, outgoing, incoming } = world.balances();
      const none = amountMessage(0n);
      return {
        balance: satsOf(node),
        pending_open_balance: '0',
        local_balance: amountMessage(node),
        remote_balance: amountMessage(hubToNode),
        // By where they go, not by whose they are: so does lnd.
        unsettled_local_balance: amountMessage(incoming),
        unsettled_remote_balance: amountMessage(outgoing),
        pending_open_local_balance: none,
        pending_open_remote_balance: none,
      };
    },
    listChannels: () => channelList(world),
    pendingChannels: () => ({
      total_limbo_balance: '0',
      pending_open_channels: [],
      pending_closing_channels: [],
      pending_force_closing_channels: [],
      waiting_close_channels: [],
    }),
  };
}

function channelList(world: LightningWorld) {
  const { node, hubToNode, outgoing, incoming } = world.balances();
  const constraints = {
    csv_delay: 144,
    chan_reserve_sat: '0',
    dust_limit_sat: '354',
    max_pending_amt_msat: channelCapacityMsat.toString(),
    min_htlc_msat: '1',
    max_accepted_htlcs: 483,
  };
  return {
    channels: [
      {
        active: world.faults().peer === 'back',
        remote_pubkey: world.pubkey('hub'),
        channel_point: `${Buffer.from(doubleHash(Buffer.from(world.pubkey('node'), 'hex'))).toString('hex')}:0`,
        chan_id: channels.node,
        alias_scids: [],
        zero_conf: false,
        zero_conf_confirmed_scid: '0',
        num_updates: String(world.moves()),
        capacity: satsOf(channelCapacityMsat),
        local_balance: satsOf(node),
        remote_balance: satsOf(hubToNode),
        unsettled_balance: satsOf(outgoing + incoming),
        commitment_type: 'STATIC_REMOTE_KEY',
        // Its transactions cost nothing here, so that every satoshi of the channels can move.
        commit_fee: '0',
        fee_per_kw: '0',
        initiator: true,
        local_constraints: constraints,
        remote_constraints: constraints,
        lifetime: '0',
        uptime: '0',
        pending_htlcs: world.inFlight().flatMap((payment) => {
          const incoming = payment.payer === 'outside';
          return payment.parts.map((part) => ({
            incoming,
            amount: satsOf(incoming ? part.amountMsat : part.amountMsat + part.feeMsat),
            hash_lock: bytesOf(payment.hash),
            expiration_height: incoming ? part.finalExpiry : part.firstExpiry,
            forwarding_channel: '0',
          }));
        }),
      },
    ],
  };
}

export function versionCalls({ like }: LightningWorld): Record<'getVersion', Unary> {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)/.exec(like.version) ?? [];
  return {
    getVersion: () => ({
      commit: 'sandbox',
      version: like.version,
      app_major: Number(major),
      app_minor: Number(minor),
      app_patch: Number(patch),
      app_pre_release: 'beta',
      build_tags: ['invoicesrpc', 'routerrpc', 'chainrpc'],
      go_version: '',
    }),
  };
}

export function blockStreams(bitcoin: BitcoinWorld): Record<'registerBlockEpochNtfn', Streaming> {
  return {
    /** The tip at once, then every block, none left out however many came together. */
    registerBlockEpochNtfn(_, stream) {
      let lastHeight = bitcoin.tip().height - 1;
      const tell = () => {
        for (; lastHeight < bitcoin.tip().height; lastHeight++) {
          const block = bitcoin.at(lastHeight + 1);
          if (block !== undefined) stream.write({ hash: bytesOf(block.hash).reverse(), height: block.height });
        }
      };
      stream.onEnd(bitcoin.clock.onChange(tell));
      tell();
    },
  };
}
