import type { Outpoint } from '../../domain/outpoint.ts';
import type { KeyRef } from '../signer.ts';
import type { VhtlcTerms } from './terms.ts';

/** What is looked at on Arkade while a swap needs it. */
export type ArkadeWatch =
  | { readonly on: 'vhtlc'; readonly terms: VhtlcTerms; readonly script: Uint8Array }
  /**
   * What waits at the operator for a batch over coins of a script that we refund, read with our key: once a coin
   * expired, or `always`. Of these coins alone: each is asked after many times a second, and anybody can send more
   * (facts/faults.md 89).
   */
  | {
      readonly on: 'queue';
      readonly script: Uint8Array;
      readonly key: KeyRef;
      readonly always: boolean;
      readonly coins: readonly Outpoint[];
    };
