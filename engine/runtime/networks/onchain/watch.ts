import { coinsByScript } from '../../../domain/by-script.ts';
import { PortFailure } from '../../../domain/errors.ts';
import { toHex } from '../../../domain/hex.ts';
import { outpointKey } from '../../../domain/outpoint.ts';
import type { Unix } from '../../../domain/time.ts';
import type { SeenHtlcCoin } from '../../../legs/onchain/events.ts';
import type { BitcoinPort, ChainCoin, ChainTip, ChooseCoins } from '../../../legs/onchain/port.ts';
import type { OnchainWatch } from '../../../legs/onchain/watch.ts';
import { atOnce } from '../../at-once.ts';
import { slices } from '../../slices.ts';
import type { Watching, WatchOptions } from '../watching.ts';
import { chosenCoins } from './choose.ts';
import { name, newReading, readHtlcWithin, type HtlcReading } from './read-htlc.ts';
import { dueOf, goOnNext, isLater, noteTurn, turned, type Turn } from './turns.ts';

/** The same is told again after so many milliseconds: what a swap let pass in one state counts in the next. */
const sameAgainMs = 20_000;
/** HTLCs that are read at the same time: one that its source is slow at keeps no other waiting. */
const most = 8;
/** Milliseconds of one look for those whose turn is later; what is left of them is first among them in the next. */
const laterMs = 10_000;
/** Of them so many are listed at once. */
const laterAtOnce = 500;

interface Watched extends Turn {
  readonly script: Uint8Array;
  readonly since: number;
  /** Each with the coins that it names. */
  readonly swaps: Map<string, Pick<OnchainWatch, 'coins' | 'agreed' | 'paidIn' | 'past' | 'turn' | 'ours'>>;
  readonly reading: HtlcReading;
  last: string;
  at: number;
}

interface Look {
  readonly bitcoin: BitcoinPort;
  readonly tip: ChainTip;
  readonly askedAt: Unix;
  /** Milliseconds after which no other HTLC of the list is read, and those that are being read are left. */
  readonly within: number;
}

function textOf(coins: readonly SeenHtlcCoin[], { hash, mtp }: ChainTip): string {
  const lines = coins.map(
    ({ outpoint, height, spend }) =>
      `${outpointKey(outpoint)} ${height} ${spend === null ? '' : `${spend.txid} ${spend.height} ${spend.by}`}`,
  );
  return [hash, mtp, ...lines].join('\n');
}

/** What the looks go by, and what they remember. */
interface Looking extends Pick<WatchOptions, 'deliver' | 'onFailure' | 'wall'> {
  readonly bitcoin: BitcoinPort;
  readonly watched: Map<string, Watched>;
  looking: Promise<void> | null;
  restUntil: number;
}

/**
 * Tells each swap of the coins at its HTLC, by one look for all of them. A look costs what is open, and takes as long a
 * pause as it took itself, so that a slow source is not asked the whole time.
 */
export const htlcWatching: Watching<OnchainWatch> = {
  keyOf: ({ on, script, coins, paidIn = '', past = '', turn = '', ours = '' }) =>
    [on, toHex(script), paidIn, past, turn, ours, ...coins.map(({ outpoint }) => outpointKey(outpoint)).sort()].join(
      ' ',
    ),
  open({ ports, store, taken, deliver, onFailure, pollMs, wall }) {
    const { bitcoin } = ports;
    if (bitcoin === null) return null;
    const watched = new Map<string, Watched>();
    const own: Looking = { deliver, onFailure, wall, bitcoin, watched, looking: null, restUntil: 0 };

    let timer: NodeJS.Timeout | null = null;

    return {
      add(id, { terms, script, since, agreed, coins, paidIn, past, turn, ours }) {
        const key = toHex(script);
        const one = watched.get(key) ?? {
          script,
          since,
          swaps: new Map(),
          ...{ rest: 0, cuts: 0, readAt: 0 },
          reading: newReading(terms, (coin) => store.partials.of(coin)),
          last: '',
          at: -Infinity,
        };
        watched.set(key, one);
        one.swaps.set(id, {
          ...{ coins, agreed },
          ...(paidIn === undefined ? {} : { paidIn }),
          ...(past === undefined ? {} : { past }),
          ...(turn === undefined ? {} : { turn }),
          ...(ours === undefined ? {} : { ours }),
        });
        one.last = '';
        const swaps = [...one.swaps.values()];
        one.reading.agreed = swaps.map((swap) => swap.agreed);
        one.reading.paidIn = swaps.flatMap((swap) => swap.paidIn ?? []);
        one.reading.since = since;
        one.reading.past = swaps.some((swap) => swap.past === true);
        one.reading.isOut = swaps.some((swap) => swap.ours === true) ? (txid) => taken.has(txid) : null;
        name(
          one.reading,
          swaps.flatMap((swap) => swap.coins),
        );
        if (timer !== null) soon(own);
      },
      remove(id, { script }) {
        watched.get(toHex(script))?.swaps.delete(id);
      },
      start() {
        timer = setInterval(() => soon(own), pollMs);
        soon(own);
      },
      async stop() {
        if (timer !== null) clearInterval(timer);
        timer = null;
        await own.looking;
      },
    };
  },
};

/** What one source lists at one script. */
function choose({ watched }: Looking, coins: readonly ChainCoin[]): readonly ChainCoin[] {
  const [first] = coins;
  const one = first === undefined ? undefined : watched.get(toHex(first.script));
  return one === undefined ? coins : chosenCoins(coins, one.reading);
}

/**
 * Those that nobody watches any more are forgotten here and not at once: a swap that names one more coin goes on.
 */
function forgetOthers({ watched }: Looking): void {
  for (const [key, { swaps }] of watched) if (swaps.size === 0) watched.delete(key);
}

function isFirst({ reading }: Watched): boolean {
  return reading.looks === 0;
}

async function tell(
  { deliver, onFailure, bitcoin }: Looking,
  one: Watched,
  listed: readonly ChainCoin[] | null,
  { tip, askedAt, until }: Omit<Look, 'within'> & { readonly until: number },
): Promise<void> {
  const coins = await readHtlcWithin(one.reading, listed, { bitcoin, tip, until });
  if (coins === null) return goOnNext(one);
  one.cuts = 0;
  const text = textOf(coins, tip);
  const now = performance.now();
  if (text === one.last && now - one.at < sameAgainMs) return;
  one.last = text;
  one.at = now;
  const { height, mtp } = tip;
  for (const swapId of [...one.swaps.keys()]) {
    try {
      deliver(swapId, { is: 'htlc.seen', coins, height, mtp, asked: askedAt });
    } catch (cause) {
      onFailure(swapId, cause); // what one client did must not blind us to the others
    }
  }
}

async function tellEach(
  own: Looking,
  all: readonly Watched[],
  list: (one: Watched) => Promise<readonly ChainCoin[] | null>,
  look: Look,
) {
  const { onFailure } = own;
  const pause = slices();
  const until = performance.now() + look.within;
  await atOnce(most, all, async (one) => {
    if (performance.now() > until) return;
    noteTurn(one, isFirst(one));
    try {
      await tell(own, one, await list(one), { ...look, until });
    } catch (cause) {
      for (const swapId of one.swaps.keys()) onFailure(swapId, cause);
    }
    await pause();
  });
}

/**
 * Those by which value is lost first, all of them. What strangers' swaps need comes after that and is cut off in time:
 * however many they are, and whatever their coins do, no secret waits for them (facts/faults.md 264).
 */
async function look(own: Looking): Promise<void> {
  const { wall, bitcoin, watched } = own;
  forgetOthers(own);
  const all = turned(dueOf([...watched.values()]));
  if (all.length === 0) return;
  const askedAt = wall();
  const now = { bitcoin, tip: await bitcoin.tip(), askedAt };
  await lookApart(
    own,
    all.filter((one) => !isLater(one)),
    { ...now, within: Infinity },
  );
  const later = all.filter(isLater).sort((one, other) => one.readAt - other.readAt);
  const until = performance.now() + laterMs;
  for (let i = 0; i < later.length && (i === 0 || performance.now() < until); i += laterAtOnce)
    await lookApart(own, later.slice(i, i + laterAtOnce), { ...now, within: laterMs });
}

/** Where blocks are read for new scripts, none is that is older than they (facts/faults.md 233). */
async function lookApart(own: Looking, all: readonly Watched[], now: Look): Promise<void> {
  for (const part of [all.filter((one) => !isFirst(one)), all.filter(isFirst)])
    if (part.length > 0) await lookAt(own, part, now);
}

async function lookAt(own: Looking, all: readonly Watched[], now: Look): Promise<void> {
  const { onFailure } = own;
  const { bitcoin } = now;
  const coins = await bitcoin
    .coins(
      all.map(({ script }) => script),
      Math.min(...all.map(({ since }) => since)),
      (coins) => choose(own, coins),
    )
    .catch((cause: unknown) => {
      if (!(cause instanceof PortFailure)) throw cause;
      onFailure(null, cause);
      return null;
    });
  // A script that a stranger paid a thousand times can be listed by no server: it must not keep the others from theirs.
  const byScript = coins === null ? null : coinsByScript(coins);
  const list =
    byScript === null
      ? (one: Watched) => alone(bitcoin, one, (coins) => choose(own, coins))
      : ({ script }: Watched) => Promise.resolve(byScript.get(toHex(script)) ?? []);
  await tellEach(own, all, list, now);
}

function soon(own: Looking): void {
  const { onFailure } = own;
  if (own.looking !== null || performance.now() < own.restUntil) return;
  const begun = performance.now();
  own.looking = look(own)
    .catch((cause: unknown) => onFailure(null, cause)) // the next look asks again
    .finally(() => {
      own.looking = null;
      own.restUntil = performance.now() * 2 - begun;
    });
}

/** Null where this one cannot be listed now. */
async function alone(
  bitcoin: BitcoinPort,
  { script, since }: Pick<OnchainWatch, 'script' | 'since'>,
  choose: ChooseCoins,
): Promise<ChainCoin[] | null> {
  try {
    return await bitcoin.coins([script], since, choose);
  } catch (cause) {
    if (cause instanceof PortFailure) return null;
    throw cause;
  }
}
