import { coinsByScript } from '../../../domain/by-script.ts';
import { PortFailure } from '../../../domain/errors.ts';
import { toHex } from '../../../domain/hex.ts';
import { outpointKey } from '../../../domain/outpoint.ts';
import type { Unix } from '../../../domain/time.ts';
import type { SeenHtlcCoin } from '../../../legs/onchain/events.ts';
import type { BitcoinPort, ChainCoin, ChainTip, ChooseCoins } from '../../../legs/onchain/port.ts';
import type { OnchainWatch } from '../../../legs/onchain/watch.ts';
import { slices } from '../../slices.ts';
import type { Watching } from '../watching.ts';
import { chosenCoins } from './choose.ts';
import { name, newReading, readHtlc, type HtlcReading } from './read-htlc.ts';

/** The same is told again after so many milliseconds: what a swap let pass in one state counts in the next. */
const sameAgainMs = 20_000;

interface Watched {
  readonly script: Uint8Array;
  readonly since: number;
  /** Each with the coins that it names. */
  readonly swaps: Map<string, Pick<OnchainWatch, 'coins' | 'agreed'>>;
  readonly reading: HtlcReading;
  last: string;
  at: number;
}

interface Look {
  readonly bitcoin: BitcoinPort;
  readonly tip: ChainTip;
  readonly askedAt: Unix;
}

function textOf(coins: readonly SeenHtlcCoin[], { hash, mtp }: ChainTip): string {
  const lines = coins.map(
    ({ outpoint, height, spend }) =>
      `${outpointKey(outpoint)} ${height} ${spend === null ? '' : `${spend.txid} ${spend.height} ${spend.by}`}`,
  );
  return [hash, mtp, ...lines].join('\n');
}

/**
 * Tells each swap of the coins at its HTLC, by one look for all of them. A look costs what is open, and takes as long a
 * pause as it took itself, so that a slow source is not asked the whole time.
 */
export const htlcWatching: Watching<OnchainWatch> = {
  keyOf: ({ on, script, coins }) =>
    [on, toHex(script), ...coins.map(({ outpoint }) => outpointKey(outpoint)).sort()].join(' '),
  open({ ports, deliver, onFailure, pollMs, wall }) {
    const { bitcoin } = ports;
    if (bitcoin === null) return null;
    const watched = new Map<string, Watched>();
    let timer: NodeJS.Timeout | null = null;
    let looking: Promise<void> | null = null;
    let restUntil = 0;

    /** What one source lists at one script. */
    function choose(coins: readonly ChainCoin[]): readonly ChainCoin[] {
      const [first] = coins;
      const one = first === undefined ? undefined : watched.get(toHex(first.script));
      return one === undefined ? coins : chosenCoins(coins, one.reading);
    }

    /**
     * Those that nobody watches any more are forgotten here and not at once: a swap that names one more coin goes on.
     */
    function forgetOthers(): void {
      for (const [key, { swaps }] of watched) if (swaps.size === 0) watched.delete(key);
    }

    async function tell(one: Watched, listed: readonly ChainCoin[] | null, { tip, askedAt }: Look): Promise<void> {
      const coins = await readHtlc(one.reading, listed, { bitcoin: bitcoin as BitcoinPort, tip });
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
      all: readonly Watched[],
      list: (one: Watched) => Promise<readonly ChainCoin[] | null>,
      look: Look,
    ) {
      const pause = slices();
      for (const one of all) {
        try {
          await tell(one, await list(one), look);
        } catch (cause) {
          for (const swapId of one.swaps.keys()) onFailure(swapId, cause);
        }
        await pause();
      }
    }

    async function look(): Promise<void> {
      forgetOthers();
      const all = [...watched.values()];
      if (all.length === 0) return;
      const askedAt = wall();
      const chain = bitcoin as BitcoinPort;
      const tip = await chain.tip();
      const coins = await chain
        .coins(
          all.map(({ script }) => script),
          Math.min(...all.map(({ since }) => since)),
          choose,
        )
        .catch((cause: unknown) => {
          if (!(cause instanceof PortFailure)) throw cause;
          onFailure(null, cause);
          return null;
        });
      if (coins === null) {
        // A script that a stranger paid a thousand times can be listed by no server: it must not keep the others from
        // theirs.
        await tellEach(all, (one) => alone(chain, one, choose), { bitcoin: chain, tip, askedAt });
        return;
      }
      const byScript = coinsByScript(coins);
      await tellEach(all, ({ script }) => Promise.resolve(byScript.get(toHex(script)) ?? []), {
        bitcoin: chain,
        tip,
        askedAt,
      });
    }

    function soon(): void {
      if (looking !== null || performance.now() < restUntil) return;
      const begun = performance.now();
      looking = look()
        .catch((cause: unknown) => onFailure(null, cause)) // the next look asks again
        .finally(() => {
          looking = null;
          restUntil = performance.now() * 2 - begun;
        });
    }

    return {
      add(id, { terms, script, since, agreed, coins }) {
        const key = toHex(script);
        const one = watched.get(key) ?? {
          script,
          since,
          swaps: new Map(),
          reading: newReading(terms),
          last: '',
          at: -Infinity,
        };
        watched.set(key, one);
        one.swaps.set(id, { coins, agreed });
        one.last = '';
        const swaps = [...one.swaps.values()];
        one.reading.agreed = swaps.map((swap) => swap.agreed);
        name(
          one.reading,
          swaps.flatMap((swap) => swap.coins),
        );
        if (timer !== null) soon();
      },
      remove(id, { script }) {
        watched.get(toHex(script))?.swaps.delete(id);
      },
      start() {
        timer = setInterval(soon, pollMs);
        soon();
      },
      async stop() {
        if (timer !== null) clearInterval(timer);
        timer = null;
        await looking;
      },
    };
  },
};

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
