import { asSha256 } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { msatPerSat, sats } from '../../domain/money.ts';
import { lightningFailure } from '../../legs/lightning/failures.ts';
import type { LightningHoldings } from '../../legs/lightning/port.ts';
import type { Channel } from './channel.ts';
import { channelsOf } from './node.ts';
import { type Lnd, timed, unary } from './rpc.ts';

interface Amount {
  readonly msat: string;
}

/** lnd's ChannelBalanceResponse, as far as it is used here: the list of channels rounds each down to sats. */
export interface ChannelBalance {
  readonly local_balance: Amount | null;
  /** In HTLCs that we offer, by where they go; those that come in are called local. */
  readonly unsettled_remote_balance: Amount | null;
}

/** Read by two calls: both say the same moment only where the same `version` is read before and after. */
export async function holdings(node: Lnd): Promise<LightningHoldings> {
  const channels = await channelsOf(node);
  return holdingsOf(channels, await balanceOf(node));
}

function balanceOf(node: Lnd): Promise<ChannelBalance> {
  return timed(node, 'tell the balance of its channels', 'safe', () =>
    unary<ChannelBalance>(node, (options, done) => node.lnd.default.channelBalance({}, options, done)),
  );
}

/**
 * lnd takes the fee of the commitment, which moves with the fee rate and with every HTLC, off the balance of whoever
 * opened the channel. What its anchors take never changes, and need not be added.
 */
export function holdingsOf(
  channels: readonly Channel[],
  { local_balance: local, unsettled_remote_balance: offered }: ChannelBalance,
): LightningHoldings {
  const initiated = channels.filter(({ initiator }) => initiator);
  const fees = initiated.reduce((sum, channel) => sum + feeOf(channel), 0n);
  return {
    ours: BigInt(local?.msat ?? 0) + BigInt(offered?.msat ?? 0) + fees * msatPerSat,
    channels: channels.flatMap(namesOf),
    htlcs: channels.flatMap(({ pending_htlcs: pending }) =>
      pending.map(({ hash_lock: hash, incoming, amount, forwarding_channel: other }) => ({
        hash: asSha256(Uint8Array.from(hash)),
        amount: sats(BigInt(amount)),
        incoming,
        forwarded: Number(other) !== 0,
      })),
    ),
    version: [String(local?.msat), String(offered?.msat), ...channels.map(stateOf)].join('; '),
  };
}

/** Weight of a commitment by its form, and what its two anchors take; an HTLC that is not dust adds to the weight. */
const forms: Readonly<Record<string, { readonly weight: bigint; readonly anchors: bigint }>> = {
  LEGACY: { weight: 724n, anchors: 0n },
  STATIC_REMOTE_KEY: { weight: 724n, anchors: 0n },
  ANCHORS: { weight: 1_124n, anchors: 660n },
  SCRIPT_ENFORCED_LEASE: { weight: 1_124n, anchors: 660n },
  SIMPLE_TAPROOT: { weight: 968n, anchors: 660n },
};
const htlcWeight = 172n;
/** Beyond it what the roundings come to could be taken for the fee of an HTLC. */
const mostHtlcs = 40;

/**
 * What lnd takes off the opener's balance, in sats. Its own `commit_fee` is what the transaction leaves to the miner,
 * with every fraction of a satoshi and all dust besides: what is in no balance of the channel tells how many HTLCs are
 * paid for, and must fit to less than a satoshi for each amount that was rounded down.
 */
function feeOf(channel: Channel): bigint {
  const { capacity, local_balance: local, remote_balance: remote, fee_per_kw: rate, pending_htlcs: htlcs } = channel;
  const form = forms[channel.commitment_type];
  const amounts = [local, remote, ...htlcs.map(({ amount }) => amount)];
  const left = amounts.reduce((rest, amount) => rest - BigInt(amount), BigInt(capacity) - (form?.anchors ?? 0n));
  for (let paid = Math.min(htlcs.length, mostHtlcs); form !== undefined && paid >= 0; paid--) {
    const fee = (BigInt(rate) * (form.weight + htlcWeight * BigInt(paid))) / 1_000n;
    if (left >= fee && left - fee < BigInt(amounts.length)) return fee;
  }
  throw lightningFailure('lightning-unclear', 'safe', 'What the commitment of a channel costs cannot be told now.');
}

/** Every number that a channel goes by. */
export function namesOf({ chan_id: id, alias_scids: aliases, zero_conf_confirmed_scid: confirmed }: Channel): string[] {
  return [id, ...aliases.map(String), ...(Number(confirmed) === 0 ? [] : [confirmed])];
}

function stateOf(channel: Channel): string {
  const htlcs = channel.pending_htlcs.map(({ hash_lock: hash }) => toHex(hash));
  return [channel.channel_point, channel.num_updates, channel.local_balance, channel.commit_fee, ...htlcs].join();
}
