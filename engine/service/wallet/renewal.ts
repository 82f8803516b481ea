import { btcOn, noSats, plus, sats, type Sats } from '../../domain/money.ts';
import { outpointKey } from '../../domain/outpoint.ts';
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
import { createBegun, renewalFee, type Begun } from './renewal-begun.ts';
import { sentenceOf, sentenceOfShort } from './renewal-sentences.ts';

/** Coins with less life than this are renewed: late enough to be rare, early enough for days of trouble. */
const renewWithin = seconds(3 * day);
/** A batch takes at most this many coins. */
const coinsPerBatch = 50;
/** The span over which the cost of renewals is bounded. */
const month = seconds(30 * day);
/** The owner is told of the same coins again after this long. */
const toldFor = seconds(day);

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
  readonly batches: ReturnType<typeof createBegun>;
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
  const own: Renewing = {
    options,
    runtime,
    log,
    store,
    abort,
    batches: createBegun({ store, now: options.now }),
    waiting: null,
    lastAlert: null,
  };

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
  const { runtime, log, abort, batches } = own;
  const { arkade } = runtime.ports;
  if (arkade === null) return;
  let short: readonly WalletVtxo[] = [];
  try {
    await batches.look(arkade);
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
  const { options, runtime, log, store, abort, batches } = own;
  const now = options.now();
  const wallet = coins
    .filter(({ spent, unrolled }) => !spent && !unrolled)
    .reduce((sum, { amount }) => plus(sum, amount), noSats);
  let begun: Begun | null = null as Begun | null;
  let choice: RenewalChoice = { coins: [], fee: noSats, dear: [], late: false };
  function choose(offer: BatchOffer): readonly Vtxo[] {
    choice = chooseRenewals(offer, { now, window, ceilings: options.ceilings(), wallet, spent: spentBefore(own, now) });
    if (choice.coins.length > 0) begun = batches.begin(choice);
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
  if (begun !== null) await batches.ended(arkade, begun, renewed);
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

/**
 * With an operator whose coins live only for days, or hours, a third of a life is left: never renewed over and over.
 */
function renewWindow(coins: readonly Vtxo[]): Seconds {
  const longestLife = coins.reduce((longest, coin) => Math.max(longest, coin.expiresAt - coin.createdAt), 0);
  return seconds(Math.min(renewWithin, Math.floor(longestLife / 3)));
}
