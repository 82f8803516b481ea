import type { z } from 'zod';
import type { SwapStatus } from '../domain/status.ts';
import type { HtlcTerms } from '../legs/onchain/htlc.ts';
import type { ValueOf } from '../legs/shape.ts';
import type {
  amountFields,
  arkadeFields,
  arkadeLeg,
  bitcoinLeg,
  dealFields,
  lightningLeg,
  orderFields,
} from './shape.ts';

/** What we asked a provider for, agreed with nobody yet, and frozen when the swap is opened. */
export type OrderTerms = ValueOf<typeof orderFields>;

/** What every order is given once the swap has keys, whatever its networks. */
export type Agreed = Omit<OrderTerms, 'hash'>;

/** An order with a leg on Arkade and both amounts in sats. */
export type ArkadeOrderTerms = ValueOf<typeof orderFields & typeof amountFields & typeof arkadeFields>;

/** An Arkade operator as we read it ourselves: a record that names another one is for coins that we could not move. */
export type TakerOperator = ArkadeOrderTerms['operator'];

/** What the progress of every direction says alike. */
export interface TakerProgress {
  readonly at: string;
  /** Present from the moment on at which the provider's record was found right. */
  readonly deal?: Deal;
  /** The last word of the provider. */
  readonly said?: SwapStatus;
  /** Why it was refused or ended, in whose words ever. */
  readonly detail?: string | null;
}

/** One side of a deal on its network. `amount` is in smallest units. */
export interface Leg {
  readonly on: 'arkade' | 'lightning' | 'bitcoin' | 'evm';
  readonly amount: bigint;
}

export type ArkadeLeg = Readonly<z.infer<typeof arkadeLeg>>;
export type LightningLeg = Readonly<z.infer<typeof lightningLeg>>;
/** `H`: the forms that it may have. */
export type BitcoinLeg<H extends HtlcTerms = HtlcTerms> = Omit<Readonly<z.infer<typeof bitcoinLeg>>, 'htlc'> & {
  readonly htlc: H;
};

/** What a provider's record says once every part of it was derived again: the only thing that later steps believe. */
export type Deal<Source extends Leg = Leg, Target extends Leg = Leg> = ValueOf<typeof dealFields> & {
  readonly source: Source;
  readonly target: Target;
};
