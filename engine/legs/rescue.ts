import { z } from 'zod';
import type { EvmNetwork } from '../domain/chain.ts';
import type { Preimage, Sha256 } from '../domain/hash.ts';
import type { Sats } from '../domain/money.ts';
import type { Outpoint } from '../domain/outpoint.ts';
import { vhtlcTerms } from './arkade/shape.ts';
import type { VhtlcTerms } from './arkade/terms.ts';
import type { EvmAddress } from '../domain/evm.ts';
import type { SwapContracts } from './evm/contracts.ts';
import { evmAddress, evmNetworkName, lockTerms, swapContracts, takerEvmKey } from './evm/shape.ts';
import type { LockTerms } from './evm/swap-key.ts';
import type { TakerEvmKey } from './evm/taker-key.ts';
import type { HtlcTerms } from './onchain/htlc.ts';
import { htlcTerms } from './onchain/shape.ts';
import { bytes, exactly, keyRef, outpoint, sats, sha256, sized } from './shape.ts';
import type { KeyRef } from './signer.ts';

/**
 * One leg of a swap, as far as whoever has the seed and nothing else of the node must know it to take what it holds.
 * Wrong, and what lies there is found by nobody.
 */
export type RescueLeg =
  /** `coin`: null where only its amount is known. `since`: a height below which nothing paid the script. */
  | {
      readonly on: 'bitcoin';
      readonly terms: HtlcTerms;
      readonly key: KeyRef;
      readonly coin: Outpoint | null;
      readonly amount: Sats;
      readonly since: number;
    }
  /**
   * `lock`: our transaction that makes it, prepared; with the operator half way, it must be finished, or all its coins
   * are nobody's.
   */
  | {
      readonly on: 'arkade';
      readonly terms: VhtlcTerms;
      readonly key: KeyRef;
      readonly coin: Outpoint | null;
      readonly amount: Sats;
      readonly lock?: Uint8Array;
    }
  /**
   * By our account of the chain. `since`: a height below which nothing was locked. `taker`: a lock of a swap of our
   * own, which that key signs for, and where a claim of it pays.
   */
  | {
      readonly on: 'evm';
      readonly network: EvmNetwork;
      readonly contracts: SwapContracts;
      readonly lock: LockTerms;
      readonly since: number;
      readonly taker?: RescueTaker;
    }
  /** At our own Lightning node: a payment that we made, or a payment to us that is held. */
  | { readonly on: 'lightning'; readonly hash: Sha256 };

export interface RescueTaker {
  readonly key: TakerEvmKey;
  readonly destination: EvmAddress;
}

/**
 * What is out of a swap, from the first moment at which value may have left us until nothing of it can change any more.
 *
 * `refund` is what we gave: ours again after its locktime, but for the secret. `claim` is what the other side gave:
 * ours by the secret. What became of `refund` decides about both (design of the fence: nobody may have both legs).
 */
export interface RescueSwap {
  readonly claim: RescueLeg | null;
  readonly refund: RescueLeg | null;
  /** The secret is public: what we gave is never taken back any more, whatever a chain shows at the moment. */
  readonly shown: boolean;
  /** The other side's claim of a coin on the Bitcoin chain that we gave, sent again where it was evicted. */
  readonly resend?: Uint8Array;
}

/** A swap as a bundle holds it, whoever of the two sides we are. */
export interface RescueEntry extends RescueSwap {
  readonly id: string;
  readonly direction: string;
  readonly role: 'service' | 'client';
  /** Null while it is not known, or not public. */
  readonly secret: Preimage | null;
}

const leg = exactly<RescueLeg>()(
  z.discriminatedUnion('on', [
    z.strictObject({
      on: z.literal('bitcoin'),
      terms: htlcTerms,
      key: keyRef,
      coin: outpoint.nullable(),
      amount: sats,
      since: z.number(),
    }),
    z.strictObject({
      on: z.literal('arkade'),
      terms: vhtlcTerms,
      key: keyRef,
      coin: outpoint.nullable(),
      amount: sats,
      lock: bytes.exactOptional(),
    }),
    z.strictObject({
      on: z.literal('evm'),
      network: evmNetworkName,
      contracts: swapContracts,
      lock: lockTerms,
      since: z.number(),
      taker: z.strictObject({ key: takerEvmKey, destination: evmAddress }).exactOptional(),
    }),
    z.strictObject({ on: z.literal('lightning'), hash: sha256 }),
  ]),
);

export const rescueEntry = exactly<RescueEntry>()(
  z.strictObject({
    id: z.string(),
    direction: z.string(),
    role: z.enum(['service', 'client']),
    secret: sized<Preimage>(32).nullable(),
    claim: leg.nullable(),
    refund: leg.nullable(),
    shown: z.boolean(),
    resend: bytes.exactOptional(),
  }),
);
