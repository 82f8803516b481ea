import { z } from 'zod';
import type { EvmNetwork, Network } from '../domain/chain.ts';
import type { Preimage, Sha256 } from '../domain/hash.ts';
import type { Asset, Sats } from '../domain/money.ts';
import type { SwapStatus } from '../domain/status.ts';
import type { Unix } from '../domain/time.ts';
import type { Outpoint, Txid } from '../domain/outpoint.ts';
import { vhtlcTerms } from './arkade/shape.ts';
import type { VhtlcTerms } from './arkade/terms.ts';
import type { EvmAddress } from '../domain/evm.ts';
import type { SwapContracts } from './evm/contracts.ts';
import { evmAddress, evmNetworkName, lockTerms, swapContracts, takerEvmKey } from './evm/shape.ts';
import type { LockTerms } from './evm/swap-key.ts';
import type { TakerEvmKey } from './evm/taker-key.ts';
import type { HtlcTerms } from './onchain/htlc.ts';
import { htlcTerms } from './onchain/shape.ts';
import { leg as legName, type Leg } from './leg.ts';
import { bytes, exactly, keyRef, outpoint, sats, sha256, sized, unix } from './shape.ts';
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
  /** Nobody may have been shown it but by what is noted before: a claim that is sent, a provider that is asked. */
  readonly byNote?: true;
  /** The other side's claim of a coin on the Bitcoin chain that we gave, sent again where it was evicted. */
  readonly resend?: Uint8Array;
}

/** A transaction of ours that may still be mined, or be made final by the operator. */
export interface SentTransaction extends Asset {
  readonly txid: Txid;
  readonly leg: Leg;
  readonly purpose: string;
  readonly state: 'prepared' | 'accepted';
  readonly replaces: Txid | null;
  readonly bytes: Uint8Array;
}

/**
 * A swap in the form in which its database keeps it, for the same machine to go on with. Terms and progress are of
 * these versions of the machine's own forms. Wrong, and the machine does not know what it owes.
 */
export interface StoredSwap {
  readonly createdAt: Unix;
  readonly status: SwapStatus;
  readonly valueSats: bigint;
  readonly terms: unknown;
  readonly progress: { readonly at: string };
  readonly termsVersion: number;
  readonly progressVersion: number;
  /** Known here, whether or not it is public: the machine says what it opens. */
  readonly secret: Preimage | null;
  /** But for those of an account on an EVM chain, which are made anew. */
  readonly transactions: readonly SentTransaction[];
}

/** A swap as a bundle holds it, whoever of the two sides we are. */
export interface RescueEntry extends Omit<RescueSwap, 'byNote'> {
  readonly id: string;
  readonly direction: string;
  readonly role: 'service' | 'client';
  /** Null while it is not known, or not public. */
  readonly secret: Preimage | null;
  /** Null where the chain alone told of it. */
  readonly stored: StoredSwap | null;
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

const transaction = z.strictObject({
  txid: z.string(),
  network: z.custom<Network>((value) => typeof value === 'string'),
  asset: z.custom<Asset['asset']>((value) => typeof value === 'string'),
  leg: legName,
  purpose: z.string(),
  state: z.enum(['prepared', 'accepted']),
  replaces: z.string().nullable(),
  bytes,
});

const stored = z.strictObject({
  createdAt: unix,
  status: z.custom<SwapStatus>((value) => typeof value === 'string'),
  valueSats: z.bigint(),
  // Read by the machine that they are of.
  terms: z.custom<unknown>((value) => typeof value === 'object'),
  progress: z.custom<StoredSwap['progress']>((value) => typeof value === 'object' && value !== null && 'at' in value),
  termsVersion: z.number(),
  progressVersion: z.number(),
  secret: sized<Preimage>(32).nullable(),
  transactions: z.array(transaction),
});

export const rescueEntry = exactly<RescueEntry>()(
  z.strictObject({
    id: z.string(),
    direction: z.string(),
    role: z.enum(['service', 'client']),
    secret: sized<Preimage>(32).nullable(),
    stored: stored.nullable(),
    claim: leg.nullable(),
    refund: leg.nullable(),
    shown: z.boolean(),
    resend: bytes.exactOptional(),
  }),
);
