import { unix, type Unix } from '../../domain/time.ts';
import type { Dealt } from '../evm-source/terms.ts';
import type { LightningLeg } from '../terms.ts';
import { leastTimeToPay } from '../verify.ts';

/** The moment until which tokens are still locked for the invoice. */
export function payableUntil({ deal }: Dealt<LightningLeg>): Unix {
  return unix(deal.target.expiresAt - leastTimeToPay);
}
