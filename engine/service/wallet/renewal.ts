import { randomUUID } from 'node:crypto';
import { btc, btcOn, noSats, plus, sats, type Sats } from '../../domain/money.ts';
import { outpointKey, outpointOf, type Txid } from '../../domain/outpoint.ts';
import { after, day, hasPassed, seconds, unix, type Seconds, type Unix } from '../../domain/time.ts';
import type { BatchOffer } from '../../legs/arkade/batch.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import type { Vtxo, WalletVtxo } from '../../legs/arkade/vtxo.ts';
import type { Ceilings } from '../../quote/ceilings.ts';
import { chooseRenewals, type DearCoin, type RenewalChoice } from '../../quote/renewal.ts';
import type { Log } from '../../runtime/log.ts';
import { isAbsent } from '../../runtime/ports.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { createRounds } from '../rounds.ts';
import { sentenceOf, sentenceOfShort } from './renewal-sentences.ts';

/** Coins with less life than this are renewed: late enough to be rare, early enough for days of trouble. */
const renewWithin = seconds(3 * day);
/** A batch takes at most this many coins. */
const coinsPerBatch = 50;
/** The span over which the cost of renewals is bounded. */
const month = seconds(30 * day);
/** The owner is told of the same coins again after this long. */
const toldFor = seconds(day);

/** Its lines of the ledger. */
export const renewalFee = 'renewal-fee-paid';

/**
 * A batch that was asked for, saved before it was: what became of it shows in its coins, also after a crash or an
 * answer that was lost.
 */
interface Begun {
  readonly id: string;
  readonly fee: Sats;
  readonly coins: readonly string[];
}

const begunKey = 'renewal-begun';

interface RenewalOptions {
  readonly runtime: Runtime;
  readonly now: () => Unix;
  readonly ceilings: () => Ceilings;
  readonly preconfirmedFor: () => Seconds;
  readonly everyMs: number;
  readonly log: Log;
  readonly onRenewed: () => void;
}

/** What the rounds go by, and what they remember. */
interface Renewing {
  readonly options: RenewalOptions;
  readonly runtime: Runtime;
  readonly log: Log;
  readonly store: Runtime['store'];
  readonly abort: AbortController;
  waiting: string | null;
  lastAlert: { readonly what: string; readonly at: Unix } | null;
}

/**
 * Keeps the Arkade wallet's coins alive: past its expiry a coin belongs to the operator's good will. Holds the wallet
 * while it chooses; what is on its way through a batch the port keeps from every lock. What the operator may take for
 * it has ceilings, for nobody watches: a coin above them stays as it is, and the owner is told (facts/faults.md 48).
 * `now` is the nearest that can be told to the clock of the operator, by which coins expire.
 */
export function createRenewal(options: RenewalOptions) {
  const { runtime, log } = options;
  const { store } = runtime;
  const abort = new AbortController();
  const own: Renewing = { options, runtime, log, store, abort, waiting: null, lastAlert: null };

  const rounds = createRounds(runtime, {
    name: 'renewing wallet coins',
    everyMs: options.everyMs,
    round: () => renew(own),
  });

  return {
    check: rounds.check,
    soon: rounds.soon,
    /** What waits for a decision of the owner, in a sentence. */
    waiting: () => own.waiting,
    start: rounds.start,
    stop(): Promise<void> {
      abort.abort();
      return rounds.stop();
    },
  };
}

async function renew(own: Renewing): Promise<void> {
  const { runtime, log, abort } = own;
  const { arkade } = runtime.ports;
  if (arkade === null) return;
  let short: readonly WalletVtxo[] = [];
  try {
    await bookBegun(own, arkade);
    const coins = await arkade.walletCoins();
    short = coins.filter(({ tooShort, spent, unrolled }) => tooShort === true && !spent && !unrolled);
    let dear: readonly DearCoin[] = [];
    const window = renewWindow(coins);
    // Which of them are due the port knows: those under a signer of before as well.
    for (let batch = 0; batch < Math.ceil(coins.length / coinsPerBatch) && !abort.signal.aborted; batch++) {
      const done = await renewBatch(own, arkade, coins, window);
      dear = done.dear;
      if (!done.renewed) break;
    }
    tellOf(own, dear, short);
  } catch (cause) {
    if (short.length > 0) tellOf(own, [], short);
    if (!abort.signal.aborted && !isAbsent(cause))
      log.warn(
        { cause: cause instanceof Error ? cause.message : String(cause) },
        'wallet coins could not be renewed; the next round tries again',
      );
  }
}

async function renewBatch(
  own: Renewing,
  arkade: ArkadePort,
  coins: readonly Vtxo[],
  window: Seconds,
): Promise<{ renewed: boolean; dear: readonly DearCoin[] }> {
  const { options, runtime, log, store, abort } = own;
  const now = options.now();
  const wallet = coins
    .filter(({ spent, unrolled }) => !spent && !unrolled)
    .reduce((sum, { amount }) => plus(sum, amount), noSats);
  let begun: Begun | null = null as Begun | null;
  let choice: RenewalChoice = { coins: [], fee: noSats, dear: [], late: false };
  function choose(offer: BatchOffer): readonly Vtxo[] {
    choice = chooseRenewals(offer, { now, window, ceilings: options.ceilings(), wallet, spent: spentBefore(own, now) });
    if (choice.coins.length > 0) begun = begin(own, choice);
    return choice.coins;
  }
  const renewed = await chosenAlone(own, (chosen) => {
    const reserved = store.transactions.reservedCoins();
    // Only in quiet time: while payments are on their way the coins are wanted, and their change is not there yet.
    const quiet = reserved.length === 0 ? { preconfirmedBefore: unix(now - options.preconfirmedFor()) } : {};
    const choosing = (offer: BatchOffer): readonly Vtxo[] => {
      const coins = choose(offer);
      chosen();
      return coins;
    };
    return arkade.renew({ before: after(now, window), ...quiet, reserved, choose: choosing, signal: abort.signal });
  });
  if (renewed === null) return { renewed: false, dear: choice.dear };
  if (begun !== null) book(own, begun, { fee: renewed.fee, batch: renewed.commitmentTxid }, begun.coins);
  log.info({ commitment: renewed.commitmentTxid, fee: renewed.fee.toString() }, 'wallet coins renewed');
  if (choice.late)
    runtime.alert(
      null,
      `Renewing ${choice.coins.length} coins on Arkade cost ${renewed.fee} sats, more than ceilings.renewalBps ` +
        'allows: it was paid because they had little time left. See what the operator asks.',
    );
  options.onRenewed();
  return { renewed: true, dear: choice.dear };
}

/** The wallet is held until the coins are chosen, not while their batch runs: a lock takes others meanwhile. */
async function chosenAlone<T>({ runtime }: Renewing, work: (chosen: () => void) => Promise<T>): Promise<T> {
  let batch: Promise<T> | undefined;
  await runtime.alone(
    'arkade',
    () =>
      new Promise<void>((free) => {
        batch = work(free).finally(free);
      }),
  );
  return batch as Promise<T>;
}

function spentBefore({ store }: Renewing, now: Unix): Sats {
  return sats(-store.ledger.totalSince(renewalFee, btcOn('arkade'), Math.max(0, now - month)) / 1_000n);
}

/** All whose end was not seen yet. An older build kept one, by itself. */
export function begunBatches({ store }: Pick<Renewing, 'store'>): readonly Begun[] {
  const stored = store.settings.get<Begun | readonly Begun[]>(begunKey) ?? [];
  return 'id' in stored ? [stored] : stored;
}

function keep({ store }: Renewing, batches: readonly Begun[]): void {
  if (batches.length === 0) store.settings.remove(begunKey);
  else store.settings.put(begunKey, batches);
}

/** An earlier one of the very same coins may have been it, at its own fee: of the two one at most ever is. */
function begin(own: Renewing, { coins, fee }: RenewalChoice): Begun {
  const keys = coins.map(({ outpoint }) => outpointKey(outpoint)).sort();
  const batches = begunBatches(own);
  const same = batches.find((one) => one.coins.toSorted().join() === keys.join());
  const begun: Begun = {
    id: same?.id ?? randomUUID(),
    fee: same !== undefined && same.fee > fee ? same.fee : fee,
    coins: keys,
  };
  keep(own, [...batches.filter((one) => one !== same), begun]);
  return begun;
}

/**
 * What the batch cost, under the name of the renewal, in the commit that forgets that it was begun, what it took, and
 * whatever else was begun with a coin of it.
 */
function book(
  own: Renewing,
  { id, coins }: Begun,
  { fee, batch }: { readonly fee: Sats; readonly batch: Txid | null },
  taken: readonly string[],
): void {
  const { options, store } = own;
  store.atomically(() => {
    if (batch !== null) store.ownBatches.note(batch, `renewal ${id}`);
    for (const key of taken) store.ownCoins.forget(outpointOf(key));
    if (fee > noSats) store.ledger.write(`renewal ${id}`, options.now(), renewalFee, btc('arkade', -fee));
    keep(
      own,
      begunBatches(own).filter((one) => !one.coins.some((coin) => coins.includes(coin))),
    );
  });
}

/** Batches whose end this node did not see: their coins say which of them were, under whatever script they lie. */
async function bookBegun(own: Renewing, arkade: ArkadePort): Promise<void> {
  const batches = begunBatches(own);
  if (batches.length === 0) return;
  const points = [...new Set(batches.flatMap(({ coins }) => coins))].map(outpointOf);
  const coinAt = new Map((await arkade.coinsAt(points)).map((coin) => [outpointKey(coin.outpoint), coin]));
  const coinsOf = (one: Begun): Vtxo[] => one.coins.map((key) => coinAt.get(key)).filter((coin) => coin !== undefined);
  // Of several with the same coins the one that explains the most, and of equals the dearest.
  const ended = batches
    .filter((one) => inOneBatch(coinsOf(one)))
    .sort((a, b) => b.coins.length - a.coins.length || (a.fee > b.fee ? -1 : 1));
  for (const one of ended)
    if (begunBatches(own).some(({ id }) => id === one.id))
      book(
        own,
        one,
        { fee: one.fee, batch: coinsOf(one)[0]?.settledBy ?? null },
        coinsOf(one).map(({ outpoint }) => outpointKey(outpoint)),
      );
  // Taken by something else: the operator cannot take them for that batch any more.
  const impossible = (one: Begun): boolean => coinsOf(one).length > 0 && coinsOf(one).every(({ spent }) => spent);
  keep(
    own,
    begunBatches(own).filter((one) => !impossible(one)),
  );
}

function tellOf(own: Renewing, dear: readonly DearCoin[], short: readonly WalletVtxo[]): void {
  const { runtime, log } = own;
  own.waiting =
    [...(dear.length === 0 ? [] : [sentenceOf(dear)]), ...(short.length === 0 ? [] : [sentenceOfShort(short)])].join(
      ' ',
    ) || null;
  const what = [
    ...dear.map(({ coin, stage, above }) => `${outpointKey(coin.outpoint)} ${stage} ${above}`),
    ...short.map(({ outpoint }) => outpointKey(outpoint)),
  ]
    .sort()
    .join();
  const { wall: now } = runtime.clock.now();
  if (own.waiting === null || (own.lastAlert?.what === what && !hasPassed(toldFor, own.lastAlert.at, now))) return;
  own.lastAlert = { what, at: now };
  log.warn({ dear: dear.length, short: short.length }, 'wallet coins are not renewed');
  runtime.alert(null, own.waiting);
}

export type Renewal = ReturnType<typeof createRenewal>;

/** One commitment took them all, as far as the operator knows them. */
function inOneBatch(coins: readonly Vtxo[]): boolean {
  const [first] = coins;
  return (
    first !== undefined && first.settledBy !== null && coins.every(({ settledBy }) => settledBy === first.settledBy)
  );
}

/**
 * With an operator whose coins live only for days, or hours, a third of a life is left: never renewed over and over.
 */
function renewWindow(coins: readonly Vtxo[]): Seconds {
  const longestLife = coins.reduce((longest, coin) => Math.max(longest, coin.expiresAt - coin.createdAt), 0);
  return seconds(Math.min(renewWithin, Math.floor(longestLife / 3)));
}
