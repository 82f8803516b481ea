import type { EvmNetwork } from '../domain/chain.ts';
import type { Locktime } from '../domain/time.ts';
import type { ArkadeConditions } from './arkade/conditions.ts';
import type { EvmConditions } from './evm/conditions.ts';
import type { LightningConditions } from './lightning/conditions.ts';
import type { OnchainConditions } from './onchain/conditions.ts';

/**
 * Conditions judged at the moment of an act, not when it was decided: a lock or payment that waited out an outage must
 * not be sent into a leg that is about to close. They limit what is started, never what is finished.
 */
export interface OnlyIf extends LightningConditions, ArkadeConditions, EvmConditions, OnchainConditions {
  /**
   * Nothing is started after this moment: of the chain's clock, or of its height, for a lock or a claim, of the wall
   * clock for a payment, unless the chain of a deposit judges it.
   */
  readonly notAfter: Locktime;
  /**
   * Nor once what was given for it may come back, by the clock of its own network: that of the act may show nothing any
   * more (facts/faults.md 183).
   */
  readonly ownRefund?: OwnRefund;
}

/** From when on what was given can be taken back, and by which clock. */
export interface OwnRefund {
  readonly clock: 'bitcoin' | EvmNetwork;
  readonly from: Locktime;
}
