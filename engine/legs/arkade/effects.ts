import type { Sats } from '../../domain/money.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import type { OnlyIf } from '../only-if.ts';
import type { KeyRef } from '../signer.ts';
import type { OnChainCoin } from './vtxo.ts';
import type { VhtlcTerms } from './terms.ts';

/** What a transaction does to a VHTLC: the service locks, the receiver claims, the sender refunds. */
export type Purpose = 'lock' | 'claim' | 'refund';

/** A coin at a VHTLC, and our key in it. */
export interface VhtlcCoin {
  readonly terms: VhtlcTerms;
  readonly script: Uint8Array;
  readonly key: KeyRef;
  readonly coin: Outpoint;
}

/**
 * A transaction that was prepared. `coin`: the one of the VHTLC that it takes, which may leave the operator meanwhile;
 * left out of a lock.
 */
interface OnItsWay {
  readonly purpose: Purpose;
  readonly txid: Txid;
  readonly coin?: Outpoint;
}

/** What a machine asks of the Arkade operator. */
export type ArkadeEffect =
  /**
   * `ownScript`: nobody but this swap pays the script, so that a coin of the amount there is the lock, made already.
   */
  | {
      readonly do: 'vhtlc.lock';
      readonly script: Uint8Array;
      readonly amount: Sats;
      readonly minExpiry: Unix;
      readonly ownScript?: true;
    }
  | ({ readonly do: 'vhtlc.claim' } & VhtlcCoin)
  | ({ readonly do: 'vhtlc.refund' } & VhtlcCoin)
  | ({ readonly do: 'vhtlc.submit'; readonly onlyIf?: OnlyIf } & OnItsWay)
  | ({ readonly do: 'vhtlc.finalize'; readonly onlyIf?: OnlyIf } & OnItsWay)
  /** `taken`: a batch has the coin, they say; only whose that was is asked, and none is joined. */
  | ({ readonly do: 'vhtlc.settle'; readonly purpose: 'claim' | 'refund'; readonly taken?: true } & VhtlcCoin)
  /**
   * Takes a coin that left the operator for the chain, once it is mined: prepares, and sends nothing. `leastRate` in
   * sats per virtual byte, above 0 for a bump.
   */
  | ({ readonly do: 'vhtlc.exit'; readonly purpose: 'claim' | 'refund'; readonly leastRate: number } & VhtlcCoin)
  /** Takes coins of the Arkade wallet that lie on the chain home: prepares, and sends nothing. `leastRate` as above. */
  | { readonly do: 'arkade.sweep'; readonly coins: readonly OnChainCoin[]; readonly leastRate: number }
  /**
   * Brings a coin to the chain by what was saved of its way there, one transaction after the other, each with a child
   * that pays for it; all fees together are at most `mostFee`. By `deadline` it should be there.
   */
  | { readonly do: 'arkade.unroll'; readonly coin: Outpoint; readonly mostFee: Sats; readonly deadline?: Unix };
