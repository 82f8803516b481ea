import { btc, noSats, type Sats } from '../../../domain/money.ts';
import type { Outpoint, Txid } from '../../../domain/outpoint.ts';
import type { Clocks } from '../../../domain/time.ts';
import { buried } from '../../../legs/onchain/depth.ts';
import type { KeyRef } from '../../../legs/signer.ts';
import type { VhtlcTerms } from '../../../legs/arkade/terms.ts';
import type { SeenCoin } from '../../../legs/arkade/events.ts';
import type { Effect, LedgerLine } from '../../machine.ts';

/** A coin of a swap that left the operator for the chain, and the leaf of ours that takes it there. */
export interface Exiting {
  readonly purpose: 'claim' | 'refund';
  readonly terms: VhtlcTerms;
  readonly script: Uint8Array;
  readonly key: KeyRef;
  readonly coin: Outpoint;
}

/** Prepares the claim or refund on the chain, at first or again with a higher fee. */
export function exitEffect(exiting: Exiting, leastRate = 0): Effect {
  return { do: 'vhtlc.exit', ...exiting, leastRate };
}

/** What the operator took for a batch, for the ledger. */
export function operatorFee(fee: Sats | undefined): LedgerLine[] {
  return fee === undefined || fee === noSats ? [] : [{ kind: 'operator-fee-paid', ...btc('arkade', -fee) }];
}

/**
 * A spend that stands: the operator keeps one for good, the chain once it is buried. Of a coin that lies on the chain
 * the operator's word is none: it may hold a transaction for accepted that it will never make final.
 */
export function stands(coin: SeenCoin, now: Clocks): boolean {
  return coin.unrolled || coin.onChain !== undefined ? buried(coin.onChain?.height ?? null, now.bitcoin.height) : true;
}

/**
 * Called spent when we came for it, it is to be had all the same: it shows unspent now, or spent by what we sent and
 * gave up. One answer of an operator ends nothing that is ours.
 */
export function stillOurs(coin: SeenCoin, sent: Txid | null): boolean {
  return !coin.spent || (sent !== null && coin.spentIn === sent);
}
