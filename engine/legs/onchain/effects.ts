import type { Hash160 } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { Locktime, Unix } from '../../domain/time.ts';
import type { Leg } from '../leg.ts';
import type { OnlyIf } from '../only-if.ts';
import type { KeyRef } from '../signer.ts';
import type { HtlcTerms } from './htlc.ts';
import type { BumpRequest, WalletCoin } from './wallet-port.ts';

/** What a machine asks of the Bitcoin chain and of the wallet on it. */
export type OnchainEffect =
  /**
   * Keeps a prepared transaction on the chain until it is buried; `spends` is an input of it, by which its rivals are
   * known, and `amount` what all its inputs hold. Capped, it pays no more before `raiseFrom`. By `deadline` it should
   * be mined. `push`: it is never replaced; when it waits, a child of its change pays for both, with its own fee of at
   * most `mostFee`. `onlyIf`: judged before it is sent for the first time. Too late, it is never sent. `yieldsTo`:
   * never sent against a spend that shows this hash's secret, for then the coin is whose secret it is. `funding`: what
   * made the coin, sent together with it where no source has that any more. `leg`: of the effect that prepared it.
   */
  | {
      readonly do: 'onchain.broadcast';
      readonly leg: Leg;
      readonly txid: Txid;
      readonly spends: Outpoint;
      readonly amount: Sats;
      readonly rate: number;
      readonly capped: boolean;
      readonly raiseFrom?: Unix;
      readonly deadline?: Locktime;
      readonly since: number;
      readonly yieldsTo?: Hash160;
      readonly funding?: Uint8Array;
      readonly push?: { readonly change: WalletCoin; readonly mostFee: Sats };
      readonly onlyIf?: OnlyIf;
    }
  /**
   * Pays an HTLC out of the Bitcoin wallet's confirmed coins, at a fee of at most `mostFee`: prepares, and sends
   * nothing. It signals no replacement (BIP-125). While coins that suffice wait for their block it waits with them,
   * until `lockBefore` by median time past. `scriptSince`: a height below which the script was never paid.
   */
  | {
      readonly do: 'htlc.fund';
      readonly script: Uint8Array;
      readonly amount: Sats;
      readonly mostFee: Sats;
      readonly lockBefore: Unix;
      readonly scriptSince: number;
    }
  /**
   * Claims or refunds a coin at an HTLC to our own wallet: prepares, and sends nothing. `leastRate` in sats per virtual
   * byte, above 0 for a bump. By `deadline` it should be mined, of a claim the client's refund locktime: the fee rises
   * towards it, within what the coin is worth. `funding`: what made the coin, for when no source has that any more.
   */
  | {
      readonly do: 'htlc.spend';
      readonly purpose: 'claim' | 'refund';
      readonly terms: HtlcTerms;
      readonly script: Uint8Array;
      readonly key: KeyRef;
      readonly coin: Outpoint;
      readonly funding?: Uint8Array;
      readonly leastRate: number;
      readonly deadline: Locktime;
    }
  /**
   * Keeps the client's own claim of the coin that we funded in the mempool, and our funding under it, until a spend of
   * the coin is buried: with the secret known nothing else may take the coin. Where the swap's own broadcast of the
   * funding was interrupted, it ends with `onchain.final` of that.
   */
  | { readonly do: 'htlc.resend'; readonly coin: Outpoint; readonly bytes: Uint8Array }
  /**
   * Pays out of the Bitcoin wallet, at a fee of at most `mostFee`: prepares, and sends nothing. `earlier`: the coins of
   * payments of the same sats that were signed before and are held for dead, each of which the new one stays in
   * conflict with.
   */
  | {
      readonly do: 'onchain.send';
      readonly script: Uint8Array;
      readonly amount: Sats;
      readonly mostFee?: Sats;
      readonly doubted?: boolean;
      readonly earlier?: readonly (readonly WalletCoin[])[];
    }
  /**
   * Joins coins of the Bitcoin wallet, or splits one, at a rate and a fee of at most these: prepares, and sends
   * nothing.
   */
  | { readonly do: 'onchain.consolidate'; readonly mostRate: number; readonly mostFee: Sats }
  /** Prepares the same payment again, from the same coins, at a fee of at most `mostFee`. */
  | ({ readonly do: 'onchain.bump' } & BumpRequest);

/**
 * What a transaction on the chain does: it takes a coin of a swap, or coins home from Arkade; pays for a transaction
 * that brings a coin from there ('unroll'), or makes the coins that do ('split'); pays out of the Bitcoin wallet, once
 * or again at a higher fee, or into it; funds an HTLC, pays for a funding that waits, or takes the coins of one that
 * came too late.
 */
export type OnchainPurpose =
  'claim' | 'refund' | 'exit' | 'send' | 'bump' | 'consolidate' | 'fund' | 'push' | 'cancel' | 'unroll' | 'split';
