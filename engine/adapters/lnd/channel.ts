import { claimShare, claimWeight } from '../../legs/lightning/part-cost.ts';

/**
 * What a side of a channel has to keep to. `dust_limit_sat`: below it its commitment has no output.
 * `max_accepted_htlcs`: so many of its own may be unresolved.
 */
interface Constraints {
  readonly chan_reserve_sat: string;
  readonly dust_limit_sat?: string;
  readonly max_accepted_htlcs?: number;
}

/** lnd's Channel message, as far as it is used here; amounts in sats. */
export interface Channel {
  readonly chan_id: string;
  readonly pending_htlcs: readonly {
    readonly hash_lock: Uint8Array;
    readonly incoming: boolean;
    readonly amount: string;
    /** Zero where it is neither forwarded nor comes from another channel. */
    readonly forwarding_channel: string;
  }[];
  readonly channel_point: string;
  /** Other numbers of it than `chan_id`, as a channel has that was used before its block. */
  readonly alias_scids: readonly string[];
  /** It may be used before its funding is mined; zero stands for the number of one that is not mined. */
  readonly zero_conf: boolean;
  readonly zero_conf_confirmed_scid: string;
  /** Of its commitment, which rises with every change of it. */
  readonly num_updates: string;
  readonly commit_fee: string;
  readonly commitment_type: string;
  readonly capacity: string;
  readonly active: boolean;
  /** True on the side that opened the channel and pays for its transactions. */
  readonly initiator: boolean;
  readonly local_balance: string;
  readonly remote_balance: string;
  readonly unsettled_balance: string;
  readonly fee_per_kw: string;
  readonly local_constraints: Constraints;
  readonly remote_constraints: Constraints;
}

/** In sats, where nobody says another. */
const usualDust = 354n;
/** Where nobody says fewer (BOLT 2). */
const mostHtlcs = 483;
/** Sats for a thousand units of weight, 10 sat/vB: what lnd pays at most for a commitment with anchors by itself. */
const usualRate = 2_500n;
/** Forms whose HTLCs are left out where the fee of their own transaction takes them below dust. */
const feeForms: ReadonlySet<string> = new Set(['LEGACY', 'STATIC_REMOTE_KEY', 'UNKNOWN_COMMITMENT_TYPE']);

/**
 * Whether the commitments of a channel are worth what they say, whatever its peer does. The funding of one that is used
 * before it is mined may never be. Without anchors the fee is its opener's to set: so high that every HTLC is dust, or
 * so low that nobody mines it.
 *
 * Loses money when wrong: something given for a payment that its sender takes back, or leaves to a miner.
 */
export function isSure(channel: Channel): boolean {
  const { zero_conf: isEarly, zero_conf_confirmed_scid: mined, initiator: isOurs, commitment_type: form } = channel;
  return (!isEarly || Number(mined) !== 0) && (isOurs || !feeForms.has(form));
}

/**
 * In sats, what the commitment of either side carries, whoever closes the channel, and what is worth claiming from it.
 * With anchors the rate that a peer sets says nothing of that, and is left out; what blocks ask for is weighed at the
 * act (facts/faults.md 274).
 */
export function leastCarried(channel: Channel): bigint {
  const { local_constraints: ours, remote_constraints: theirs, commitment_type: form, initiator: isOurs } = channel;
  const dust = [ours, theirs].reduce((most, { dust_limit_sat: limit }) => {
    const one = BigInt(limit ?? usualDust);
    return one > most ? one : most;
  }, 0n);
  const own = isOurs ? BigInt(channel.fee_per_kw) : 0n;
  const rate = feeForms.has(form) || own > usualRate ? own : usualRate;
  return dust + claimShare * ((rate * claimWeight + 999n) / 1_000n);
}

/** Whether another HTLC of ours, or of its peer's, fits into a channel. */
export function hasSlot(channel: Channel, whose: 'ours' | 'theirs'): boolean {
  const isTheirs = whose === 'theirs';
  const { max_accepted_htlcs: most = mostHtlcs } = isTheirs ? channel.remote_constraints : channel.local_constraints;
  return channel.pending_htlcs.filter(({ incoming }) => incoming === isTheirs).length < most;
}
