// The client's machines and their states, by the names of their directions.
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import type { Machine } from '../../engine/swap/machine.ts';
import type { TakenDirection } from '../../engine/taker/direction.ts';
import { takenArkadeBitcoin } from '../../engine/taker/directions/arkade-bitcoin.ts';
import { takenArkadeEvm } from '../../engine/taker/directions/arkade-evm.ts';
import { takenArkadeLightning } from '../../engine/taker/directions/arkade-lightning.ts';
import { takenBitcoinArkade } from '../../engine/taker/directions/bitcoin-arkade.ts';
import { takenEvmArkade } from '../../engine/taker/directions/evm-arkade.ts';
import { takenBitcoinEvm } from '../../engine/taker/directions/bitcoin-evm.ts';
import { takenEvmBitcoin } from '../../engine/taker/directions/evm-bitcoin.ts';
import { takenEvmLightning } from '../../engine/taker/directions/evm-lightning.ts';
import { takenLightningArkade } from '../../engine/taker/directions/lightning-arkade.ts';
import { takenBitcoinLightning } from '../../engine/taker/directions/bitcoin-lightning.ts';
import { takenLightningBitcoin } from '../../engine/taker/directions/lightning-bitcoin.ts';
import { takenLightningEvm } from '../../engine/taker/directions/lightning-evm.ts';
import type {
  Claiming as ClaimingOnArkade,
  LockFacts as KnownOnArkade,
} from '../../engine/taker/halves/arkade/claim/terms.ts';
import type { ArkadeFunding, Base as KeptOnArkade } from '../../engine/taker/halves/arkade/fund/terms.ts';
import type {
  Claiming as ClaimingOnBitcoin,
  LockFacts as KnownOnBitcoin,
} from '../../engine/taker/halves/bitcoin/claim/terms.ts';
import type { BitcoinFunding, Base as KeptOnBitcoin, PaidLeg } from '../../engine/taker/halves/bitcoin/fund/terms.ts';
import type { Claiming as ClaimingOnEvm, LockFacts as KnownOnEvm } from '../../engine/taker/halves/evm/claim/terms.ts';
import type { EvmFunding, Base as KeptOnEvm } from '../../engine/taker/halves/evm/fund/terms.ts';
import type { LightningFunding } from '../../engine/taker/halves/lightning/invoice.ts';
import type { Dealt } from '../../engine/taker/halves/fund.ts';
import type { EvmLeg } from '../../engine/taker/evm/terms.ts';
import type { Opening } from '../../engine/taker/opening.ts';
import type { ArkadeLeg, BitcoinLeg, Deal, Leg, LightningLeg, OrderTerms } from '../../engine/taker/terms.ts';

/** What is agreed in a direction. */
type TermsOf<D> = D extends { verify(given: unknown, terms: infer T, ...more: never): unknown } ? T : never;

export type TakeArkadeBitcoinTerms = TermsOf<typeof takenArkadeBitcoin>;
export type TakeArkadeEvmTerms = TermsOf<typeof takenArkadeEvm>;
export type TakeArkadeLightningTerms = TermsOf<typeof takenArkadeLightning>;
export type TakeBitcoinArkadeTerms = TermsOf<typeof takenBitcoinArkade>;
export type TakeBitcoinEvmTerms = TermsOf<typeof takenBitcoinEvm>;
export type TakeBitcoinLightningTerms = TermsOf<typeof takenBitcoinLightning>;
export type TakeEvmArkadeTerms = TermsOf<typeof takenEvmArkade>;
export type TakeEvmBitcoinTerms = TermsOf<typeof takenEvmBitcoin>;
export type TakeEvmLightningTerms = TermsOf<typeof takenEvmLightning>;
export type TakeLightningArkadeTerms = TermsOf<typeof takenLightningArkade>;
export type TakeLightningBitcoinTerms = TermsOf<typeof takenLightningBitcoin>;
export type TakeLightningEvmTerms = TermsOf<typeof takenLightningEvm>;

/** Of each stage the fields of both halves. */
type Progress<S extends Leg, G extends Leg, P, K, N, C> =
  | Opening
  | (P & { readonly target: N; readonly deal: Deal<S, G> })
  | (K & { readonly at: 'claiming'; readonly target: C; readonly deal: Deal<S, G> });

export type TakeArkadeBitcoinProgress = Progress<
  ArkadeLeg,
  BitcoinLeg,
  ArkadeFunding,
  KeptOnArkade,
  KnownOnBitcoin,
  ClaimingOnBitcoin
>;
export type TakeArkadeEvmProgress = Progress<ArkadeLeg, EvmLeg, ArkadeFunding, KeptOnArkade, KnownOnEvm, ClaimingOnEvm>;
export type TakeArkadeLightningProgress = Progress<
  ArkadeLeg,
  LightningLeg,
  ArkadeFunding,
  KeptOnArkade,
  object,
  object
>;
export type TakeBitcoinArkadeProgress = Progress<
  PaidLeg,
  ArkadeLeg,
  BitcoinFunding,
  KeptOnBitcoin,
  KnownOnArkade,
  ClaimingOnArkade
>;
export type TakeBitcoinEvmProgress = Progress<
  PaidLeg,
  EvmLeg,
  BitcoinFunding,
  KeptOnBitcoin,
  KnownOnEvm,
  ClaimingOnEvm
>;
export type TakeEvmBitcoinProgress = Progress<
  EvmLeg,
  BitcoinLeg,
  EvmFunding,
  KeptOnEvm,
  KnownOnBitcoin,
  ClaimingOnBitcoin
>;
export type TakeEvmArkadeProgress = Progress<EvmLeg, ArkadeLeg, EvmFunding, KeptOnEvm, KnownOnArkade, ClaimingOnArkade>;
export type TakeEvmLightningProgress = Progress<EvmLeg, LightningLeg, EvmFunding, KeptOnEvm, object, object>;
export type TakeLightningArkadeProgress = Progress<
  LightningLeg,
  ArkadeLeg,
  LightningFunding,
  Dealt,
  KnownOnArkade,
  ClaimingOnArkade
>;
export type TakeLightningEvmProgress = Progress<
  LightningLeg,
  EvmLeg,
  LightningFunding,
  Dealt,
  KnownOnEvm,
  ClaimingOnEvm
>;

export type TakeLightningBitcoinProgress = Progress<
  LightningLeg,
  BitcoinLeg,
  LightningFunding,
  Dealt,
  KnownOnBitcoin,
  ClaimingOnBitcoin
>;

export type TakeBitcoinLightningProgress = Progress<
  PaidLeg,
  LightningLeg,
  BitcoinFunding,
  KeptOnBitcoin,
  object,
  object
>;

function machineOf<T extends OrderTerms, P extends { readonly at: string }>(
  direction: TakenDirection<T>,
): Machine<T, P> {
  return direction.machine(decodeInvoice) as unknown as Machine<T, P>;
}

export const takeArkadeBitcoin = machineOf<TakeArkadeBitcoinTerms, TakeArkadeBitcoinProgress>(takenArkadeBitcoin);
export const takeArkadeEvm = machineOf<TakeArkadeEvmTerms, TakeArkadeEvmProgress>(takenArkadeEvm);
export const takeArkadeLightning = machineOf<TakeArkadeLightningTerms, TakeArkadeLightningProgress>(
  takenArkadeLightning,
);
export const takeBitcoinArkade = machineOf<TakeBitcoinArkadeTerms, TakeBitcoinArkadeProgress>(takenBitcoinArkade);
export const takeEvmArkade = machineOf<TakeEvmArkadeTerms, TakeEvmArkadeProgress>(takenEvmArkade);
export const takeBitcoinEvm = machineOf<TakeBitcoinEvmTerms, TakeBitcoinEvmProgress>(takenBitcoinEvm);
export const takeEvmBitcoin = machineOf<TakeEvmBitcoinTerms, TakeEvmBitcoinProgress>(takenEvmBitcoin);
export const takeEvmLightning = machineOf<TakeEvmLightningTerms, TakeEvmLightningProgress>(takenEvmLightning);
export const takeLightningArkade = machineOf<TakeLightningArkadeTerms, TakeLightningArkadeProgress>(
  takenLightningArkade,
);
export const takeLightningEvm = machineOf<TakeLightningEvmTerms, TakeLightningEvmProgress>(takenLightningEvm);
export const takeLightningBitcoin = machineOf<TakeLightningBitcoinTerms, TakeLightningBitcoinProgress>(
  takenLightningBitcoin,
);
export const takeBitcoinLightning = machineOf<TakeBitcoinLightningTerms, TakeBitcoinLightningProgress>(
  takenBitcoinLightning,
);

const nothing = { unsafe: null, takenBack: false };
/** What is known of the provider's side before anything is. */
export const noVhtlc: KnownOnArkade = { ...nothing, claim: null };
export const noLock: KnownOnEvm = { ...nothing, lockTxid: null, claimTxid: null };
export const noCoin: KnownOnBitcoin = { ...nothing, coin: null, claimTxid: null };

/** The stage in which tokens of ours are waited for. */
export function awaitingTokens<G extends ArkadeLeg | BitcoinLeg | LightningLeg>(deal: Deal<EvmLeg, G>) {
  return {
    at: 'waiting',
    deal,
    said: 'pending',
    made: null,
    signedUntil: null,
    takenBy: null,
    relayed: false,
    notBefore: null,
    declined: null,
  } as const;
}
