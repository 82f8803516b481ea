import type { Config } from '../../config.ts';
import type { Settings } from '../../contract/owner/settings.ts';
import type { TermsPreview, TermsPreviewRequest } from '../../contract/owner/terms.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { sats, type Sats } from '../../domain/money.ts';
import { settingOf, termsFor, type OwnTerms } from '../../domain/terms.ts';
import { priceFromSource } from '../../quote/fees.ts';
import type { ServiceContext } from '../context.ts';
import { chainsOf, type Direction } from '../directions/direction.ts';
import { floorOf, type Floor } from '../limits/floor.ts';
import { spreadNow } from '../price/inventory.ts';
import { eachPair, limitsOf, stopped, tooMuch } from '../limits/limits.ts';
import { rateWith } from '../price/rate.ts';

type Pair = TermsPreview['pairs'][number];

/** From next to nothing to a large swap. */
const usualAmounts = [10_000, 100_000, 1_000_000].map((amount) => sats(amount));

/**
 * The minimum of a direction that is below its floor on every chain it could be on, where it is new: the floor moves
 * with fees, and what was set above it stays and is raised.
 */
export function belowFloor(context: ServiceContext, proposed: OwnTerms): Refusal | null {
  const { terms } = context.config;
  for (const { name } of context.directions.all) {
    const set = proposed.directions[name]?.minSats;
    if (set === undefined || set === terms.directions[name]?.minSats) continue;
    const floors = eachPair(context).flatMap((pair) => {
      const floor = pair.name === name ? floorOf(context, pair) : null;
      return floor === null || isRefusal(floor) ? [] : [floor];
    });
    const [lowest] = floors.toSorted((a, b) => Number(a.sats - b.sats));
    if (lowest !== undefined && sats(set) < lowest.sats)
      return refuse('invalid', `${settingOf(proposed, name, 'minSats')} is ${set}, ${tooLow(lowest)}`);
  }
  return null;
}

function tooLow({ sats: least, by }: Floor): string {
  return `and ${why[by](least)}: set at least that, or leave it out.`;
}

const why: Readonly<Record<Floor['by'], (least: Sats) => string>> = {
  dust: (least) => `the Arkade operator keeps no coin below ${least} sats`,
  costs: (least) => `what claiming or taking back costs makes no swap below ${least} sats worth doing now`,
  channels: (least) => `a payment below ${least} sats is not surely held by the channels of the Lightning node`,
};

/** What every pair would quote by proposed terms, beside what it quotes now. Nothing is changed. */
export function previewTerms(
  context: ServiceContext,
  settings: { propose(patch: Settings['settings']): Config | Refusal },
  { terms, amounts }: TermsPreviewRequest,
): TermsPreview | Refusal {
  const proposed = settings.propose({ terms });
  if (isRefusal(proposed)) return proposed;
  const refused = belowFloor(context, proposed.terms);
  if (refused !== null) return refused;
  const chosen = amounts.length > 0 ? amounts : usualAmounts;
  const then = withTerms(context, proposed.terms);
  return { pairs: eachPair(context).map((direction) => pairOf(context, then, direction, chosen)) };
}

function withTerms(context: ServiceContext, terms: Config['terms']): ServiceContext {
  return { ...context, config: { ...context.config, terms } };
}

function pairOf(now: ServiceContext, then: ServiceContext, direction: Direction, amounts: readonly Sats[]): Pair {
  const quotes = amounts.map((amount) => ({
    amount,
    now: priced(now, direction, amount),
    then: priced(then, direction, amount),
  }));
  return {
    direction: direction.name,
    ...chainsOf(direction),
    closed: stopped(now, direction)?.sentence ?? null,
    now: offerOf(now, direction),
    then: offerOf(then, direction),
    quotes: quotes.flatMap(({ amount, ...one }) =>
      isRefusal(one.now) || isRefusal(one.then) ? [] : [{ amount_sats: Number(amount), now: one.now, then: one.then }],
    ),
  };
}

function offerOf(context: ServiceContext, direction: Direction): Pair['now'] {
  const { feeBps, flatSats } = termsFor(context.config.terms, direction.name);
  const { min, max } = limitsOf(context, direction);
  return {
    fee_bps: feeBps,
    spread_bps: spreadNow(context, direction),
    flat_sats: flatSats,
    min_sats: Number(min),
    max_sats: Number(max),
  };
}

/** As `/quote` prices it, in sats: a pegged token is worth what it stands for. */
function priced(context: ServiceContext, direction: Direction, amount: Sats): Pair['quotes'][number]['now'] | Refusal {
  const spread = spreadNow(context, direction);
  const rate = rateWith(context, direction, { extraFeesBps: 0, referralCode: null, developer: null, spread });
  if (isRefusal(rate)) return rate;
  const price = priceFromSource(amount, rate);
  return {
    fee_sats: Number(price.fee),
    network_fee_sats: Number(price.networkFee),
    payout_sats: Number(price.target),
    refused: tooMuch(context, direction, price)?.sentence ?? null,
  };
}
