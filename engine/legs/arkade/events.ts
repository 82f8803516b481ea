import type { Sats } from '../../domain/money.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import type { Purpose } from './effects.ts';
import type { VhtlcSpend } from './transaction.ts';
import type { Vtxo } from './vtxo.ts';

/**
 * `spent`: an input went to another transaction; `recoverable`: only a batch can take it; `unrolled`: it lies on the
 * chain; `late`: never sent.
 */
export type RefusedFor = 'spent' | 'recoverable' | 'unrolled' | 'late' | 'refused';

/**
 * A coin at the swap's script with what is known of its spend: null when unspent or not readable yet. `hidden`: a batch
 * took it after its expiry, and no trace of it says by which leaf. `unknown`: what the operator shows is no spend of
 * it. A claim may be known before the coin is spent: from an intent that waits at the operator.
 */
export interface SeenCoin extends Vtxo {
  readonly spend: VhtlcSpend | 'hidden' | 'unknown' | null;
  /**
   * A refund that the operator accepted and that is not final: there is no output of it, and there may never be one
   * (facts/arkade.md 17, 18).
   */
  readonly pending?: true;
  /** Present when the spend was read from the chain; the height is null while it waits in a mempool. */
  readonly onChain?: { readonly height: number | null };
}

/**
 * What happened on Arkade, and what a client asked there. `coin` of a transaction: the one at a VHTLC that it takes; a
 * half that goes by another one has no use for it (facts/faults.md 334). Left out of a lock, and where an earlier build
 * asked for it without.
 */
export type ArkadeEvent =
  /** `asked`: when the question went out that this answers, by the wall. */
  | { readonly is: 'vhtlc.seen'; readonly coins: readonly SeenCoin[]; readonly asked?: Unix }
  | {
      readonly is: 'vhtlc.prepared';
      readonly purpose: Purpose;
      readonly txid: Txid;
      readonly coin?: Outpoint;
      readonly output: Outpoint;
    }
  | { readonly is: 'vhtlc.accepted'; readonly purpose: Purpose; readonly txid: Txid; readonly coin?: Outpoint }
  /** `fee`: what the operator took for it, where it went through a batch. */
  | {
      readonly is: 'vhtlc.final';
      readonly purpose: Purpose;
      readonly txid: Txid;
      readonly coin?: Outpoint;
      readonly fee?: Sats;
    }
  | {
      readonly is: 'vhtlc.refused';
      readonly purpose: Purpose;
      readonly txid: Txid | null;
      readonly coin?: Outpoint;
      readonly why: RefusedFor;
      readonly reason: string;
    }
  /**
   * A transaction that takes our own coins home is signed and saved; `spends` is an input of it, `amount` what all of
   * them hold.
   */
  | {
      readonly is: 'sweep.prepared';
      readonly txid: Txid;
      readonly spends: Outpoint;
      readonly amount: Sats;
      readonly rate: number;
      readonly capped: boolean;
      readonly height: number;
    }
  /** A coin of ours lies on the chain; `fee` is what our children paid for it. */
  | { readonly is: 'unroll.done'; readonly fee: Sats }
  /** It cannot be brought there. */
  | { readonly is: 'unroll.refused'; readonly reason: string }
  /**
   * The client gave the preimage with a batch over these coins. `fact`: the batch that has them is the client's; where
   * it had them before, it may be one of our refund.
   */
  | {
      readonly is: 'claim.relayed';
      readonly preimage: Uint8Array;
      readonly coins: readonly Outpoint[];
      readonly fact: boolean;
    }
  /** The client asks for our signature on a refund of these coins. A step that moves fences the swap before we sign. */
  | { readonly is: 'refund.cosign.requested'; readonly coins: readonly Outpoint[] };
