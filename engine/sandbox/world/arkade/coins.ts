import { type Outpoint, outpointKey } from '../../../domain/outpoint.ts';
import { type Sats, sats } from '../../../domain/money.ts';
import type { Journal } from '../journal.ts';

/** A virtual output. Never changed in place: a change makes a new row. */
export interface Coin extends Outpoint {
  readonly amount: Sats;
  /** Hex. */
  readonly script: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly preconfirmed: boolean;
  readonly commitmentTxids: readonly string[];
  readonly depth: number;
  readonly swept: boolean;
  readonly unrolled: boolean;
  readonly spent: boolean;
  readonly spentBy: string;
  readonly arkTxid: string;
  readonly settledBy: string;
}

export type CoinChange = Partial<Omit<Coin, keyof Outpoint | 'amount' | 'script'>>;

/** Every coin that ever was, by outpoint, by script and by transaction. */
export interface CoinBook {
  get(key: string): Coin | undefined;
  byScript(script: string): Coin[];
  byTxid(txid: string): Coin[];
  all(): Iterable<Coin>;
  add(coin: Coin): Coin;
  change(key: string, change: CoinChange): Coin;
}

const table = 'arkade.coin';

export function openCoinBook(journal: Journal): CoinBook {
  const coins = new Map<string, Coin>();
  const scripts = new Map<string, string[]>();
  const txids = new Map<string, string[]>();

  function index(coin: Coin): void {
    const key = outpointKey(coin);
    if (!coins.has(key)) {
      append(scripts, coin.script, key);
      append(txids, coin.txid, key);
    }
    coins.set(key, coin);
  }
  function store(coin: Coin): Coin {
    journal.put(table, outpointKey(coin), { ...coin, amount: coin.amount.toString() });
    index(coin);
    return coin;
  }
  function all(keys: string[] | undefined): Coin[] {
    return (keys ?? []).flatMap((key) => coins.get(key) ?? []);
  }

  for (const [, row] of journal.rows(table)) {
    const saved = row as Omit<Coin, 'amount'> & { amount: string };
    index({ ...saved, amount: sats(BigInt(saved.amount)) });
  }

  return {
    get: (key) => coins.get(key),
    byScript: (script) => all(scripts.get(script)),
    byTxid: (txid) => all(txids.get(txid)),
    all: () => coins.values(),
    add: store,
    change(key, change) {
      const coin = coins.get(key);
      if (coin === undefined) throw new Error(`no coin ${key}`);
      return store({ ...coin, ...change });
    },
  };
}

function append(map: Map<string, string[]>, key: string, value: string): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** Past its expiry or swept: only a batch can move it, and its timelocks protect nobody any more. */
export function recoverable(coin: Coin, now: number): boolean {
  return coin.swept || coin.expiresAt <= now;
}

/** A coin straight under a commitment transaction. */
export function settledCoin(coin: {
  readonly txid: string;
  readonly vout: number;
  readonly amount: Sats;
  readonly script: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly commitmentTxid: string;
}): Coin {
  const { commitmentTxid, ...rest } = coin;
  return {
    ...rest,
    preconfirmed: false,
    commitmentTxids: [commitmentTxid],
    depth: 0,
    swept: false,
    unrolled: false,
    spent: false,
    spentBy: '',
    arkTxid: '',
    settledBy: '',
  };
}
