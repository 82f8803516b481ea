import type { ReferralFee } from '../../contract/records/market.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { sats } from '../../domain/money.ts';
import { termsFor } from '../../domain/terms.ts';
import type { Rate } from '../../quote/fees.ts';
import { networkFeeOf } from '../../quote/gas.ts';
import type { DeveloperKey } from '../../store/developer-keys.ts';
import type { ServiceContext } from '../context.ts';
import type { Direction } from '../directions/direction.ts';
import { spreadNow } from './inventory.ts';
import { costsOf } from '../market/costs.ts';

export interface Surcharge {
  readonly extraFeesBps: number;
  readonly referralCode: string | null;
}

/**
 * What a create charges; `gasless`: whether the node sends its transactions, which clients without gas pay for. Of the
 * spread it charges what its client may have been told a minute ago, where that is less.
 */
export function rateOf(
  context: ServiceContext,
  direction: Direction,
  surcharge: Surcharge & { readonly gasless?: boolean },
  developer: DeveloperKey | null,
): Rate | Refusal {
  const spread = spreadNow(context, direction);
  return rateWith(context, direction, {
    ...surcharge,
    developer,
    spread: spread === 0 ? 0 : context.spreads.due(direction, spread),
  });
}

/** What a quote tells. */
export function rateToTell(
  context: ServiceContext,
  direction: Direction,
  surcharge: Surcharge,
  developer: DeveloperKey | null,
): Rate | Refusal {
  return rateWith(context, direction, { ...surcharge, developer, spread: spreadToTell(context, direction) });
}

/** The fee of a direction as everybody is told it, in basis points: the owner's and the spread. */
export function bpsToTell(context: ServiceContext, direction: Direction): number {
  return termsFor(context.config.terms, direction.name).feeBps + spreadToTell(context, direction);
}

function spreadToTell(context: ServiceContext, direction: Direction): number {
  const spread = spreadNow(context, direction);
  if (context.config.terms.inventory.spreadBps > 0) context.spreads.note(direction, spread);
  return spread;
}

/** The one place that a rate is made in. */
export function rateWith(
  context: ServiceContext,
  direction: Direction,
  of: Surcharge & {
    readonly gasless?: boolean;
    readonly developer: DeveloperKey | null;
    readonly spread: number;
  },
): Rate | Refusal {
  const surcharge = surchargeOf(of, of.developer);
  if (isRefusal(surcharge)) return surcharge;
  const costs = costsOf(context, direction);
  if (isRefusal(costs)) return costs;
  const { feeBps, flatSats } = termsFor(context.config.terms, direction.name);
  const fee = isExempt(context, of.referralCode) ? 0 : feeBps;
  return {
    bps: fee + of.spread + surcharge,
    flat: sats(flatSats),
    networkFee: networkFeeOf(costs, of.gasless ?? true),
  };
}

/** An allowed surcharge, in basis points (DECISIONS.md, "A surcharge belongs to a developer key"). */
function surchargeOf({ extraFeesBps }: Surcharge, developer: DeveloperKey | null): number | Refusal {
  const ceiling = developer?.maxExtraFeeBps ?? 0;
  if (extraFeesBps <= ceiling) return extraFeesBps;
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

/**
 * What a surcharge and a referral code change of the owner's fee, so that fee and change together are what a create
 * takes. It is asked without a direction: an exempt code takes off the lowest fee of all of them, so that nobody is
 * shown less than a create takes.
 */
export function referralFee(
  context: ServiceContext,
  surcharge: Surcharge,
  developer: DeveloperKey | null,
): ReferralFee | Refusal {
  const extra = surchargeOf(surcharge, developer);
  if (isRefusal(extra)) return extra;
  const { referralCode } = surcharge;
  if (referralCode === null || !isExempt(context, referralCode)) return { extra_fee_rate: extra / 10_000 };
  const fees = context.directions.all.map(({ name }) => termsFor(context.config.terms, name).feeBps);
  return { extra_fee_rate: (extra - Math.min(...fees)) / 10_000, referral_label: referralCode };
}

function isExempt({ config }: ServiceContext, referralCode: string | null): boolean {
  return referralCode !== null && config.terms.exemptReferralCodes.includes(referralCode);
}
