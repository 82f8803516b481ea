import type { Unix } from '../../domain/time.ts';
import type { Opening } from '../opening.ts';
import type { ArkadeOrderTerms, LightningLeg } from '../terms.ts';
import type { VhtlcSourceProgress } from '../vhtlc-source/terms.ts';

/** We fund a VHTLC, and the provider pays an invoice. */
export interface TakeArkadeLightningTerms extends ArkadeOrderTerms {
  readonly bolt11: string;
  readonly invoiceExpiresAt: Unix;
}

export type TakeArkadeLightningProgress = Opening | VhtlcSourceProgress<LightningLeg>;
