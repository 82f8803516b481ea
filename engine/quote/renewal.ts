import { bpsDown, less, noSats, plus, type Sats } from '../domain/money.ts';
import type { Seconds, Unix } from '../domain/time.ts';
import type { BatchOffer, DueCoin } from '../legs/arkade/batch.ts';
import { renewalCeiling, renewalStage, type Ceilings, type RenewalStage } from './ceilings.ts';

export interface RenewalTerms {
  readonly now: Unix;
  /** The time before its expiry in which a coin is renewed. */
  readonly window: Seconds;
  readonly ceilings: Ceilings;
  /** What the whole wallet holds with the operator. */
  readonly wallet: Sats;
  /** What renewals of the last 30 days cost. */
  readonly spent: Sats;
}

/** A coin that is not renewed, and what would have to be allowed for it. */
export interface DearCoin {
  readonly coin: DueCoin['coin'];
  readonly fee: Sats;
  readonly stage: RenewalStage;
  /** Which ceiling it is above: its own, or the wallet's for 30 days. */
  readonly above: 'coin' | 'month';
}

export interface RenewalChoice {
  readonly coins: readonly DueCoin['coin'][];
  /** What the operator takes for them. */
  readonly fee: Sats;
  readonly dear: readonly DearCoin[];
  /** Among those chosen is one at a price that an early coin would not have been renewed for. */
  readonly late: boolean;
}

interface Judged extends DueCoin {
  readonly stage: RenewalStage;
  readonly most: Sats;
}

/**
 * The coins that are worth their renewal at what the operator asks now. What it takes for the new coin is borne by all
 * of them together. A coin in its last hours is renewed although the month's allowance is used up: it would be lost.
 */
export function chooseRenewals(offer: BatchOffer, terms: RenewalTerms): RenewalChoice {
  const judged = offer.due.map((due): Judged => {
    const stage = renewalStage(due.coin.expiresAt, terms.window, terms.now);
    return { ...due, stage, most: renewalCeiling(due.coin.amount, stage, terms.ceilings) };
  });
  const dear: DearCoin[] = judged.filter(({ fee, most }) => fee > most).map((one) => dearOf(one, one.fee, 'coin'));
  const fair = judged.filter(({ fee, most }) => fee <= most);
  const allowance = less(bpsDown(terms.wallet, terms.ceilings.renewalMonthBps), terms.spent);
  const last = fair.filter(({ stage }) => stage === 'last').slice(0, offer.limit);
  const chosen = [...last];
  let routine = noSats;
  for (const one of fair.filter(({ stage }) => stage !== 'last')) {
    const next = plus(routine, one.fee);
    if (next > allowance) dear.push(dearOf(one, one.fee, 'month'));
    else if (chosen.length < offer.limit) {
      chosen.push(one);
      routine = next;
    }
  }
  const [fee, above] = judge(offer, chosen, allowance);
  if (above === null)
    return { coins: chosen.map(({ coin }) => coin), fee, dear, late: exceedsEarlyCeiling(chosen, fee, terms.ceilings) };
  // What the new coin costs is too much for them together; those that would be lost soon bear it alone if they can.
  const [lastFee, lastAbove] = judge(offer, last, allowance);
  const left = chosen.filter((one) => lastAbove !== null || one.stage !== 'last').map((one) => dearOf(one, fee, above));
  const coins = lastAbove === null ? last : [];
  return {
    coins: coins.map(({ coin }) => coin),
    fee: coins.length === 0 ? noSats : lastFee,
    dear: [...dear, ...left],
    late: coins.length > 0,
  };
}

/** What the operator takes for them together, and which ceiling that is above. */
function judge(offer: BatchOffer, chosen: readonly Judged[], allowance: Sats): [Sats, DearCoin['above'] | null] {
  if (chosen.length === 0) return [noSats, null];
  const fee = offer.fee(chosen.map(({ coin }) => coin));
  if (fee > total(chosen.map(({ most }) => most))) return [fee, 'coin'];
  const urgent = chosen.filter(({ stage }) => stage === 'last');
  return [
    fee,
    urgent.length < chosen.length && less(fee, total(urgent.map((one) => one.fee))) > allowance ? 'month' : null,
  ];
}

function exceedsEarlyCeiling(chosen: readonly Judged[], fee: Sats, ceilings: Ceilings): boolean {
  const early = chosen.map(({ coin }) => renewalCeiling(coin.amount, 'early', ceilings));
  return fee > total(early) || chosen.some((one, i) => one.fee > (early[i] ?? noSats));
}

function dearOf({ coin, stage }: Judged, fee: Sats, above: DearCoin['above']): DearCoin {
  return { coin, fee, stage, above };
}

function total(amounts: readonly Sats[]): Sats {
  return amounts.reduce(plus, noSats);
}
