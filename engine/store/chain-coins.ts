import { outpointKey, type Outpoint } from '../domain/outpoint.ts';
import type { Sats } from '../domain/money.ts';
import { isStorageFailure } from './failure.ts';
import type { settingsTable } from './settings.ts';
import type { transactionsTable } from './transactions.ts';

interface Coin {
  readonly outpoint: Outpoint;
  readonly amount: Sats;
  readonly key: { readonly branch: string; readonly index?: number };
}

/** What the Bitcoin wallet was last seen to have, and what nothing that is on record explains. */
interface Noted {
  readonly standing: readonly Coin[];
  /** Not there any more, and promised to no transaction of ours. */
  readonly spent: readonly Coin[];
  /** At keys that this database did not give out. */
  readonly forgotten: readonly Coin[];
}

const setting = 'bitcoin-coins';
/** Coins that are noted, the largest: dust costs a stranger nothing. */
const mostNoted = 640;
/** What left without a transaction of ours is nothing, or a wallet that somebody empties: a few show it. */
const mostGone = 16;

/**
 * Of the Bitcoin wallet, for the comparison at a start: a database that was rolled back lacks transactions of ours, and
 * knows coins that they spent (facts/faults.md 72).
 */
export function chainCoins(
  settings: ReturnType<typeof settingsTable>,
  transactions: Pick<ReturnType<typeof transactionsTable>, 'reservedCoins'>,
) {
  let last: string | null = null;
  let sight: readonly Coin[] | null = null;

  function noted(): Noted {
    return settings.get<Noted>(setting) ?? { standing: [], spent: [], forgotten: [] };
  }

  function note(coins: readonly Coin[], forgotten: readonly Coin[], listed: ReadonlySet<string>): void {
    const before = noted();
    const promised = new Set(transactions.reservedCoins().map(outpointKey));
    const isGone = ({ outpoint }: Coin): boolean => !listed.has(outpointKey(outpoint));
    const left = before.standing.filter((coin) => isGone(coin) && !promised.has(outpointKey(coin.outpoint)));
    settings.put(setting, {
      standing: largest(coins).slice(0, mostNoted).map(plain),
      spent: [...before.spent.filter(isGone), ...left].slice(-mostGone),
      forgotten: [...before.forgotten, ...forgotten.map(plain)].slice(-mostGone),
    } satisfies Noted);
  }

  return {
    /** All coins of it as they lie now, and those of them at keys that were not given out. */
    saw(coins: readonly Coin[], forgotten: readonly Coin[]): void {
      const listed = new Set(coins.map(({ outpoint }) => outpointKey(outpoint)));
      sight = coins;
      const text = [...listed].toSorted().join(' ');
      if (text === last && forgotten.length === 0) return;
      try {
        note(coins, forgotten, listed);
      } catch (cause) {
        // A claim looks for a place to be paid to, and must not fail for this.
        if (!isStorageFailure(cause)) throw cause;
        return;
      }
      last = text;
    },
    /** Those that were noted last, the largest of them. */
    standing: (): readonly Coin[] => noted().standing,
    /** All coins as this process saw them last; null before it saw them. */
    all: (): readonly Coin[] | null => sight,
    /** What nothing on record explains yet. */
    unexplained(): Pick<Noted, 'spent' | 'forgotten'> {
      const { spent, forgotten } = noted();
      return { spent, forgotten };
    },
    /** It is explained, or was told. */
    explained(coins: readonly { readonly outpoint: Outpoint }[]): void {
      const done = new Set(coins.map(({ outpoint }) => outpointKey(outpoint)));
      const rest = (of: readonly Coin[]): Coin[] => of.filter(({ outpoint }) => !done.has(outpointKey(outpoint)));
      const before = noted();
      settings.put(setting, { ...before, spent: rest(before.spent), forgotten: rest(before.forgotten) });
    },
  };
}

function largest(coins: readonly Coin[]): Coin[] {
  return coins.toSorted((a, b) => Number(b.amount - a.amount));
}

function plain({ outpoint, amount, key }: Coin): Coin {
  return { outpoint, amount, key };
}
