import type { Sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import type { SavedSend } from './wallet-port.ts';

/** What happened on the Bitcoin chain, and what the owner asked there. */
export type OnchainEvent =
  /**
   * A transaction for the chain is signed and saved. `rate` in sats per virtual byte; `capped`: it pays as much as it may,
   * until `raiseFrom` by median time past, where there is one.
   */
  | {
      readonly is: 'onchain.prepared';
      readonly purpose: 'claim' | 'refund';
      readonly txid: Txid;
      readonly amount: Sats;
      readonly rate: number;
      readonly capped: boolean;
      readonly raiseFrom?: Unix;
      readonly height: number;
    }
  /** It is not mined at its fee: prepared again it is to pay at least `leastRate`. */
  | { readonly is: 'onchain.stuck'; readonly txid: Txid; readonly leastRate: number }
  /** It, or an earlier one of ours over the same coin, is buried. */
  | { readonly is: 'onchain.final'; readonly txid: Txid; readonly fee: Sats }
  /** `spent`: somebody else's spend of the coin is buried. */
  | { readonly is: 'onchain.refused'; readonly txid: Txid; readonly why: 'spent' | 'refused'; readonly reason: string }
  /** A payment out of the Bitcoin wallet is signed and saved; `height` is the tip's. */
  | { readonly is: 'send.prepared'; readonly payment: SavedSend; readonly height: number }
  /** No such payment can be made. */
  | { readonly is: 'send.refused'; readonly reason: string }
  /** The owner wants what is on its way to pay a higher fee. */
  | { readonly is: 'bump.requested' };
