import { sats, type Sats } from '../domain/money.ts';
import { day, minute, seconds, type Seconds, type Unix } from '../domain/time.ts';

/** What the coin of a chain costs in bitcoin: so many wei for so many sats. */
export interface CoinPrice {
  readonly wei: bigint;
  readonly sats: Sats;
}

/** A coin that is bitcoin itself, with 18 decimals (facts/evm.md 7). */
export const bitcoinCoin: CoinPrice = { wei: 10n ** 10n, sats: sats(1) };

/** The worth of an amount of the coin, rounded up: what gas costs is never counted too low. */
export function satsOfWeiUp(wei: bigint, price: CoinPrice): Sats {
  return sats((wei * price.sats + price.wei - 1n) / price.wei);
}

/** What of the coin an amount buys, rounded down: a ceiling in sats is never exceeded in wei. */
export function weiOfSatsDown(amount: Sats, price: CoinPrice): bigint {
  return (amount * price.wei) / price.sats;
}

/** A price as it was read. */
export interface PriceReading {
  readonly price: CoinPrice;
  readonly at: Unix;
}

/** What is believed, a reading that was too far from it to be believed at once, and what two RPCs said last. */
export interface PriceMemory {
  readonly believed: PriceReading | null;
  readonly strange: PriceReading | null;
  readonly agreed: CoinPrice | null;
}

export const noPrice: PriceMemory = { believed: null, strange: null, agreed: null };

/** Nothing new is priced by what it was longer ago. */
export const oldestPrice = seconds(15 * minute);
/**
 * What is open goes by a price of hours ago: with none nothing bounds what its gas costs, and nothing counts it
 * (facts/faults.md 114).
 */
export const oldestForOpen = seconds(day);
/** A leap beyond this many times needs to last: a pool can be moved for a block, and is dear to hold. */
const leap = 2n;
const leapLasts = seconds(5 * minute);

/** `a` within the leap of `b`, either way: wei for a sat, compared crosswise. */
function near(a: CoinPrice, b: CoinPrice): boolean {
  const [left, right] = [a.wei * b.sats, b.wei * a.sats];
  return left <= right * leap && right <= left * leap;
}

/** What is believed after one more reading. */
export function remember(memory: PriceMemory, reading: PriceReading): PriceMemory {
  const { believed, strange } = memory;
  const next: PriceMemory = { believed: reading, strange: null, agreed: reading.price };
  if (believed === null || near(reading.price, believed.price)) return next;
  // Strange for long, and by the same: the world has changed, not the pool.
  // By a clock that was set back it begins to last anew (facts/faults.md 109).
  const lasts = strange !== null && reading.at >= strange.at && near(reading.price, strange.price);
  if (!lasts) return { ...memory, strange: reading };
  return reading.at - strange.at >= leapLasts ? next : memory;
}

/**
 * The same by the word of one RPC while the others are away: it goes on from what two said, and no step further
 * (facts/faults.md 114).
 */
export function rememberSingleSource(memory: PriceMemory, reading: PriceReading): PriceMemory {
  const { agreed } = memory;
  return agreed !== null && near(reading.price, agreed) ? { ...memory, believed: reading } : memory;
}

/**
 * The price to count with, null where none is young enough, or is of a time that is still to come: by how much a clock
 * was set back nobody knows.
 */
export function priceNow({ believed }: PriceMemory, now: Unix, oldest: Seconds = oldestPrice): CoinPrice | null {
  return believed === null || Math.abs(now - believed.at) > oldest ? null : believed.price;
}
