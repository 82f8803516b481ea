import { sameBytes } from '../../../domain/hash.ts';
import { sats, type Sats } from '../../../domain/money.ts';
import { outpointKey, type Outpoint, type Txid } from '../../../domain/outpoint.ts';
import type { SeenHtlcCoin, SeenHtlcSpend } from '../../../legs/onchain/events.ts';
import { htlcScript, type HtlcTerms } from '../../../legs/onchain/htlc.ts';
import type { BitcoinPort, ChainCoin, ChainTip } from '../../../legs/onchain/port.ts';
import type { AgreedAmount } from '../../../legs/onchain/watch.ts';
import { readRawTx } from '../../../legs/raw-tx.ts';
import { ifKnown } from '../if-known.ts';
import { chosenCoins } from './choose.ts';
import { onItsWay } from './on-its-way.ts';
import { readSpend, spending, type Given } from './read-spend.ts';

/** A spend that is read, and what paid the script before, are asked for again this often, in looks. */
const again = 10;
/** Payments of the script's history that are asked after in one look: the rest comes with the next ones. */
const mostAsked = 50;
/**
 * Coins without a name that are listed no more: of those whose spend was read so many are remembered, and of those that
 * wait to be looked at. Each is a question at every block, and whoever may take them back makes as many as he likes
 * (facts/faults.md 289).
 */
const mostUnlisted = { read: 20, unread: 50 } as const;

interface Remembered {
  readonly outpoint: Outpoint;
  readonly amount: Sats;
  height: number | null;
  /** In a look before this one, or in it. */
  readonly wasMined: boolean;
  /** What its spend said, with the tip and the look that it was asked at; null while nothing is known to spend it. */
  spend: { readonly what: SeenHtlcSpend; readonly tip: string; readonly look: number } | null;
  /** What the last question after it said, whatever that was; null where it was never asked after. */
  read: { readonly isThere: boolean; readonly tip: string; readonly look: number } | null;
}

/** What is remembered of one HTLC from look to look. */
export interface HtlcReading {
  readonly terms: HtlcTerms;
  readonly script: Uint8Array;
  /** The partial signatures that were given for a coin: by them its spend by the key of both is read. */
  readonly given: Given;
  readonly coins: Map<string, Remembered>;
  /** Coins that the swap goes by. */
  readonly named: Set<string>;
  agreed: readonly AgreedAmount[];
  /** Transactions that may have paid it. */
  paidIn: readonly Txid[];
  /** Below this height it was never paid; null where nothing but the named coins is looked for. */
  since: number | null;
  /** What paid it is looked for, whatever became of that. */
  past: boolean;
  /**
   * Whether what sends a transaction of ours found it to be out; null where its named coins are not of such. A server
   * may show it to nobody else, and what counts as out is not taken back: so it counts here as well (facts/faults.md
   * 358).
   */
  isOut: ((txid: Txid) => boolean) | null;
  readonly history: History;
  looks: number;
  /** The first look since it was told of: what is read at this tip by one that was cut off is not asked after again. */
  untoldFrom: number;
}

/**
 * The search for what paid it. Strangers can pay it thousands of times, so it goes on from look to look, and none of
 * theirs stands in front of what is older.
 */
interface History {
  over: boolean;
  /** Not asked after yet. */
  waiting: readonly Txid[];
}

interface Within {
  readonly bitcoin: BitcoinPort;
  readonly until: number;
}

/** Of a coin that was never asked after. */
const unread = { spend: null, read: null } as const;

export function newReading(terms: HtlcTerms, given: Given): HtlcReading {
  return {
    ...{ terms, script: htlcScript(terms).pkScript, given, coins: new Map(), named: new Set(), agreed: [], paidIn: [] },
    ...{ since: null, past: false, isOut: null, history: { over: true, waiting: [] }, looks: 0 },
    untoldFrom: 1,
  };
}

/**
 * The coins that swaps know of now: they are asked for by name, listed or not. Those that are named no more cost
 * nothing more: a stranger's dust, each larger than the one before, would make every look longer.
 */
export function name(reading: HtlcReading, coins: readonly { outpoint: Outpoint; amount: Sats }[]): void {
  reading.named.clear();
  for (const { outpoint, amount } of coins) {
    const key = outpointKey(outpoint);
    reading.named.add(key);
    if (!reading.coins.has(key)) reading.coins.set(key, { outpoint, amount, height: null, wasMined: false, ...unread });
  }
}

/**
 * What lies at an HTLC now: the coins that are listed unspent, and whatever spends those that are listed no more. One
 * of which neither is shown is left out: it is gone. A coin with a name is asked for although it is listed: a single
 * source that goes on listing it must not hide the secret that its spend shows (facts/faults.md 49). And one that was
 * in a block is not gone where its transaction is there: after a reorganisation a mempool is read by and by
 * (facts/faults.md 244). Nor is one that we made, where anybody shows its transaction (facts/faults.md 290). `listed`
 * is null where it cannot be had: then these alone are looked at.
 */
export async function readHtlc(
  reading: HtlcReading,
  listed: readonly ChainCoin[] | null,
  { bitcoin, tip }: { bitcoin: BitcoinPort; tip: ChainTip },
): Promise<SeenHtlcCoin[]> {
  const coins = await readHtlcWithin(reading, listed, { bitcoin, tip, until: Infinity });
  if (coins === null) throw new Error('a look without an end was cut off');
  return coins;
}

/**
 * The same until a moment of the process's own clock. Null where it was not over by then: what was not looked at would
 * be told of as if it were no more.
 */
export async function readHtlcWithin(
  reading: HtlcReading,
  listed: readonly ChainCoin[] | null,
  { bitcoin, tip, until }: Within & { tip: ChainTip },
): Promise<SeenHtlcCoin[] | null> {
  reading.looks += 1;
  const unspent = new Set<string>();
  for (const { outpoint, amount, height } of chosenCoins(listed ?? [], reading)) {
    const key = outpointKey(outpoint);
    unspent.add(key);
    const before = reading.named.has(key) ? reading.coins.get(key) : undefined;
    const wasMined = height !== null || before?.wasMined === true;
    const { spend = null, read = null } = before ?? {};
    reading.coins.set(key, { outpoint, amount, height, wasMined, spend, read });
  }
  forgetSome(reading, unspent);
  await readPaidIn(reading, { bitcoin, until });
  // One that strangers paid so often that no server lists its coins shows ours by its history alone.
  if (reading.since !== null && (reading.past || listed === null))
    await readHistory(reading, reading.since, { bitcoin, until });
  const coins: SeenHtlcCoin[] = [];
  let questions = 0;
  for (const [key, coin] of reading.coins) {
    const isNamed = reading.named.has(key);
    const isListed = unspent.has(key);
    if (isNamed || !isListed) {
      const isRead = until !== Infinity && coin.read?.tip === tip.hash && coin.read.look >= reading.untoldFrom;
      if (!isRead) {
        // At least one in each look: however slow each is, all of them are read in the end.
        if (questions > 0 && performance.now() > until) return null;
        questions += 1;
        coin.spend = await spendOf(reading, coin, { bitcoin, tip });
        const mayLie = listed === null || (isNamed && coin.wasMined);
        const isThere =
          isNamed && reading.isOut !== null && mayBeOvertaken(coin)
            ? await comes(coin, { isListed, isOut: reading.isOut(coin.outpoint.txid) }, bitcoin)
            : coin.spend !== null || isListed || (mayLie && (await lies(coin, bitcoin)));
        coin.read = { isThere, tip: tip.hash, look: reading.looks };
      }
      if (coin.read?.isThere !== true && !(isRead && isListed)) {
        if (!isNamed) reading.coins.delete(key);
        continue;
      }
    }
    const { outpoint, amount, height, spend } = coin;
    coins.push({ outpoint, amount, height, spend: spend?.what ?? null });
  }
  reading.untoldFrom = reading.looks + 1;
  return coins;
}

function forgetSome({ coins, named, agreed }: HtlcReading, unspent: ReadonlySet<string>): void {
  const unlisted = [...coins].filter(([key]) => !named.has(key) && !unspent.has(key));
  const isAgreed = ({ amount }: Remembered): boolean =>
    agreed.some(({ least, most }) => amount >= least && amount <= most);
  unlisted.sort(
    ([, one], [, other]) =>
      rankOf(one) - rankOf(other) ||
      Number(isAgreed(other)) - Number(isAgreed(one)) ||
      Number(other.amount - one.amount),
  );
  const read = unlisted.filter(([, { spend }]) => spend !== null);
  const unread = unlisted.filter(([, { spend }]) => spend === null);
  for (const [key] of [...read.slice(mostUnlisted.read), ...unread.slice(mostUnlisted.unread)]) coins.delete(key);
}

/** What shows a secret, or may be a claim by the key of both, first, and what costs its maker nothing last. */
function rankOf({ height, spend }: Remembered): number {
  const by = spend?.what.by;
  return (by === 'claim' ? 0 : by === 'key' ? 2 : 4) + (height === null ? 1 : 0);
}

/**
 * By the chain alone, should a provider say nothing of what paid its coin (facts/faults.md 127). Asked after is what a
 * stranger cannot make, a coin that was spent, and what costs it as much as was agreed; a search that is over begins
 * anew now and then.
 */
async function readHistory(reading: HtlcReading, since: number, within: Within): Promise<void> {
  const { bitcoin } = within;
  const { script, history, agreed, looks } = reading;
  if (history.waiting.length === 0 && (!history.over || looks % again === 1)) {
    const part = await ifKnown(async () => (await bitcoin.payments?.(script, since, history)) ?? null);
    const matters = (part?.payments ?? []).filter(
      ({ spent, amount }) => spent || agreed.some(({ least }) => amount >= least),
    );
    history.waiting = [...new Set(matters.map(({ txid }) => txid))];
    history.over = part?.over ?? true;
  }
  const paidIn = history.waiting.slice(0, mostAsked);
  history.waiting = history.waiting.slice(mostAsked);
  // A source that fails at one of them costs the next search, and not this look.
  await ifKnown(() => readPaidIn({ ...reading, paidIn }, within).then(() => null));
}

/** Coins of one such transaction: whoever names it may have made thousands, and each is asked after by itself. */
const mostPaidIn = 4;

/**
 * The coins that such a transaction made, whoever told of it: listed or not, its outputs say whose they are. No block
 * is read for it, for a provider may make up any number, and what pays the script shows in its history (facts/faults.md
 * 301).
 */
async function readPaidIn(reading: HtlcReading, { bitcoin, until }: Within): Promise<void> {
  const { script: own, paidIn, coins, agreed } = reading;
  const isAgreed = ({ amount }: { readonly amount: bigint }): boolean =>
    agreed.some(({ least, most }) => amount >= least && amount <= most);
  for (const txid of paidIn) {
    if ([...coins.values()].some(({ outpoint }) => outpoint.txid === txid)) continue;
    if (performance.now() > until) return;
    const shown = await bitcoin.glance(txid);
    const tx = shown === null ? null : readRawTx(shown.bytes);
    if (tx === null || tx.txid !== txid) continue;
    const ours = tx.outputs
      .map(({ script, amount }, vout) => ({ outpoint: { txid, vout }, script, amount: sats(amount) }))
      .filter(({ script }) => sameBytes(script, own))
      .sort((one, other) => Number(isAgreed(other)) - Number(isAgreed(one)));
    const height = shown?.height ?? null;
    for (const { outpoint, amount } of ours.slice(0, mostPaidIn))
      coins.set(outpointKey(outpoint), { outpoint, amount, height, wasMined: height !== null, ...unread });
  }
}

/** Whether its transaction is there, where nothing is known to spend it. */
async function lies(coin: Remembered, bitcoin: BitcoinPort): Promise<boolean> {
  const tx = await bitcoin.transaction(coin.outpoint.txid);
  coin.height = tx?.height ?? null;
  return tx !== null;
}

/** Neither a block nor its claim shows that it is there. */
function mayBeOvertaken({ wasMined, height, spend }: Remembered): boolean {
  if (spend === null) return !wasMined;
  return height === null && spend.what.height === null && spend.what.by === 'unknown';
}

/** Whether one that we made is on its way, or mined since. */
async function comes(
  coin: Remembered,
  { isListed, isOut }: { isListed: boolean; isOut: boolean },
  bitcoin: BitcoinPort,
): Promise<boolean> {
  const tx = await onItsWay(coin.outpoint.txid, bitcoin);
  if (tx === 'overtaken') return false;
  if (!isListed) coin.height = tx?.height ?? null;
  return isListed || isOut || tx !== null;
}

async function spendOf(
  { terms, script, since, given, looks }: HtlcReading,
  coin: Remembered,
  { bitcoin, tip }: { bitcoin: BitcoinPort; tip: ChainTip },
): Promise<Remembered['spend']> {
  const before = coin.spend;
  const isRead = before !== null && before.what.by !== 'unknown';
  if (isRead && before.tip === tip.hash && looks - before.look < again) return before;
  const { outpoint } = coin;
  const spend = await bitcoin.spend(outpoint, spending(terms, coin), since === null ? undefined : { script, since });
  if (spend === null) return null;
  coin.height = (await bitcoin.transaction(outpoint.txid))?.height ?? null;
  const same = isRead && before.what.txid === spend.txid ? { ...before.what, height: spend.height } : null;
  const what = same ?? (await readSpend({ terms, given }, coin, spend, bitcoin));
  return { what, tip: tip.hash, look: looks };
}
