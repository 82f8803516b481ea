import type { ReferralFee } from '../contract/records/market.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import type { Rate } from '../quote/fees.ts';
import { networkFeeOf } from '../quote/gas.ts';
import type { DeveloperKey } from '../store/developer-keys.ts';
import type { ServiceContext } from './context.ts';
import type { Direction } from './directions/direction.ts';
import { costsOf } from './market/costs.ts';

export interface Surcharge {
  readonly extraFeesBps: number;
  readonly referralCode: string | null;
}

/**
 * What a swap costs its client; `gasless`: whether the node sends its transactions, which clients without gas pay for.
 */
export function rateOf(
  context: ServiceContext,
  direction: Direction,
  surcharge: Surcharge & { readonly gasless?: boolean },
  developer: DeveloperKey | null,
): Rate | Refusal {
  const bps = bpsOf(context, surcharge, developer);
  if (isRefusal(bps)) return bps;
  const costs = costsOf(context, direction);
  if (isRefusal(costs)) return costs;
  return { bps, networkFee: networkFeeOf(costs, surcharge.gasless ?? true) };
}

/**
 * The owner's fee and an allowed surcharge (DECISIONS.md, "A surcharge belongs to a developer key"); a referral code of
 * the owner's is exempt from the fee.
 */
function bpsOf(context: ServiceContext, surcharge: Surcharge, developer: DeveloperKey | null): number | Refusal {
  const { extraFeesBps } = surcharge;
  const ceiling = developer?.maxExtraFeeBps ?? 0;
  if (extraFeesBps > ceiling) {
    return developer === null
      ? refuse(
          'invalid',
          `extra_fees is ${extraFeesBps} and the limit without a developer key is 0: send the key in ` +
            'X-Developer-Key or leave extra_fees out.',
        )
      : refuse(
          'invalid',
          `extra_fees is ${extraFeesBps} and the limit of this developer key is ${ceiling}: send at most ${ceiling}.`,
        );
  }
  const exempt = isExempt(context, surcharge.referralCode);
  return (exempt ? 0 : context.config.terms.feeBps) + extraFeesBps;
}

/**
 * What a surcharge and a referral code change of the owner's fee, so that fee and change together are what a create
 * takes.
 */
export function referralFee(
  context: ServiceContext,
  surcharge: Surcharge,
  developer: DeveloperKey | null,
): ReferralFee | Refusal {
  const bps = bpsOf(context, surcharge, developer);
  if (isRefusal(bps)) return bps;
  const { referralCode } = surcharge;
  return {
    extra_fee_rate: (bps - context.config.terms.feeBps) / 10_000,
    ...(referralCode !== null && isExempt(context, referralCode) ? { referral_label: referralCode } : {}),
  };
}

function isExempt({ config }: ServiceContext, referralCode: string | null): boolean {
  return referralCode !== null && config.terms.exemptReferralCodes.includes(referralCode);
}
