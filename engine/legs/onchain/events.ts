import type { Sats } from '../../domain/money.ts';
import type { Hash160, Preimage } from '../../domain/hash.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { Locktime, Unix } from '../../domain/time.ts';
import type { Leg } from '../leg.ts';
import type { PartialPurpose } from './key-spend.ts';
import type { SavedSend } from './wallet-port.ts';

/**
 * What spends a coin at an HTLC, as its bytes say. `key`: both sides together, which shows neither secret nor purpose;
 * `purpose` is that of the partial signature which we gave for it, null where we never did. `unknown`: nobody shows it,
 * or what is shown is no spend of the coin.
 */
export type SeenHtlcSpend = {
  readonly txid: Txid;
  /** Of its block; null while it waits in a mempool. */
  readonly height: number | null;
} & (
  | { readonly by: 'claim'; readonly preimage: Preimage; readonly bytes: Uint8Array }
  | { readonly by: 'refund' }
  | { readonly by: 'key'; readonly purpose: PartialPurpose | null; readonly bytes: Uint8Array }
  | { readonly by: 'unknown' }
);

/** What does not say by itself whose the coin is now: nothing is ended by it. */
export function isUnread(spend: SeenHtlcSpend): spend is SeenHtlcSpend & { readonly by: 'key' | 'unknown' } {
  return spend.by === 'unknown' || spend.by === 'key';
}

/**
 * A coin at the HTLC of a swap. One that was seen before and is listed no more is gone: evicted, replaced, or
 * reorganised away.
 */
export interface SeenHtlcCoin {
  readonly outpoint: Outpoint;
  readonly amount: Sats;
  /** Of its block; null while it waits in a mempool. */
  readonly height: number | null;
  /** Null while nothing is known to spend it. */
  readonly spend: SeenHtlcSpend | null;
}

/** What happened on the Bitcoin chain, and what the owner asked there. */
export type OnchainEvent =
  /**
   * A transaction for the chain is signed and saved. `coin`, here and below: the one at an HTLC or a VHTLC that it
   * takes, of a payment an input of it; a state that goes by another one has no use for it (facts/faults.md 291, 334).
   * `rate` in sats per virtual byte; `capped`: it pays as much as it may, until `raiseFrom` by median time past, where
   * there is one. By `deadline` it should be mined. `yieldsTo`: a refund, which is never sent against a claim with this
   * hash's secret. `funding`: what made the coin that it takes, as it was read. `joint`: by the key of both of an HTLC.
   * `leg`, here and below: of the effect that prepared the transaction.
   */
  | {
      readonly is: 'onchain.prepared';
      readonly leg: Leg;
      readonly purpose: 'claim' | 'refund';
      readonly txid: Txid;
      readonly coin?: Outpoint;
      readonly amount: Sats;
      readonly rate: number;
      readonly capped: boolean;
      readonly raiseFrom?: Unix;
      readonly deadline?: Locktime;
      readonly yieldsTo?: Hash160;
      readonly funding?: Uint8Array;
      readonly joint?: true;
      readonly height: number;
    }
  /** It is not mined at its fee: prepared again it is to pay at least `leastRate`. */
  | {
      readonly is: 'onchain.stuck';
      readonly leg: Leg;
      readonly txid: Txid;
      readonly coin?: Outpoint;
      readonly leastRate: number;
    }
  /** It, or an earlier one of ours over the same coin, is buried. */
  | {
      readonly is: 'onchain.final';
      readonly leg: Leg;
      readonly txid: Txid;
      readonly coin?: Outpoint;
      readonly fee: Sats;
    }
  /**
   * `spent`: somebody else's spend of the coin is buried. `late`: it was never sent, and its coins are free again;
   * without a `txid` none was signed.
   */
  | {
      readonly is: 'onchain.refused';
      readonly leg: Leg;
      readonly txid: Txid | null;
      readonly coin?: Outpoint;
      readonly why: 'spent' | 'refused' | 'late';
      readonly reason: string;
    }
  /**
   * What the chain and the mempool hold at the HTLC of a swap, at a tip of that height and median time past. `asked`:
   * when the question went out that this answers, by the wall.
   */
  | {
      readonly is: 'htlc.seen';
      readonly coins: readonly SeenHtlcCoin[];
      readonly height: number;
      readonly mtp: Unix;
      readonly asked: Unix;
    }
  /**
   * The other side of an HTLC asks for our partial signature on a spend of its coin by the key of both: a state that
   * moves lets it be given. Nothing is noted yet, and nothing is saved of this event. `preimage`: of a claim.
   */
  | {
      readonly is: 'cosign.asked';
      readonly purpose: PartialPurpose;
      readonly coin: Outpoint;
      readonly preimage: Preimage | null;
    }
  /**
   * Our partial signature is noted outside of the database: it counts as given, now and in every copy. `bytes`: the
   * transaction without witnesses.
   */
  | {
      readonly is: 'cosign.given';
      readonly purpose: PartialPurpose;
      readonly coin: Outpoint;
      readonly txid: Txid;
      readonly bytes: Uint8Array;
      readonly preimage: Preimage | null;
    }
  /**
   * The funding of an HTLC is signed and saved with the coins that pay for it; nothing is sent. `height` is the tip's.
   */
  | {
      readonly is: 'htlc.prepared';
      readonly payment: SavedSend;
      readonly output: Outpoint;
      readonly height: number;
    }
  /**
   * No such funding is made. `unsure`: one may have been sent, or the client's refund been signed, in a time that a
   * restored database forgot (facts/faults.md 5). `output`: what the wallet funded it with in that time, spent or not.
   */
  | { readonly is: 'htlc.refused'; readonly reason: string; readonly unsure?: true; readonly output?: Outpoint }
  /** A payment out of the Bitcoin wallet is signed and saved; `height` is the tip's. */
  | { readonly is: 'send.prepared'; readonly payment: SavedSend; readonly height: number }
  /** No such payment can be made. */
  | { readonly is: 'send.refused'; readonly reason: string }
  /** The owner wants what is on its way to pay a higher fee. */
  | { readonly is: 'bump.requested' };
