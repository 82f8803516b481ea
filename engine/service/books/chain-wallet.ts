import { btcOn, msatPerSat } from '../../domain/money.ts';
import type { ChainTransaction, ChainWallet } from '../../legs/lightning/port.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Store } from '../../store/store.ts';
import type { Networks } from '../networks/networks.ts';
import type { CoinLine } from './coins.ts';
import type { BookLook, Unknown, WalletBook } from './wallet-book.ts';

const of = btcOn('lightning');
const account = 'chain-wallet';
const setting = 'books-chain-wallet';
/** Blocks below which no reorganisation takes a transaction back; as many again are listed before the start moves. */
const buried = 144;

/** Where the list of transactions is read from, and of which node. */
interface Position {
  readonly pubkey: string;
  readonly from: number;
}

/** What one look goes by. */
interface Look {
  readonly store: Store;
  readonly held: ChainWallet;
  readonly pubkey: string;
  /** From where it is listed at the next look: what is older is over. */
  readonly from: number;
}

/**
 * What the Lightning node has on the chain, beside what the books began with and the transactions that it lists since.
 * Each is booked once it is in a block, and taken back where the node lists it no more. Whoever asked lnd for it: what
 * a miner took is that, what came without a label is the owner's, and all else is between this wallet and `elsewhere`,
 * where the channels that it opens and closes come and go. What its balance has beside that is the difference.
 */
export function chainWalletBook({ store, ports }: Runtime, networks: () => Networks): WalletBook {
  return {
    of,
    account,
    async look() {
      const reading = networks().lightning();
      if (ports.lightning === null || reading.state !== 'connected')
        return { unknown: 'the Lightning node does not answer' };
      const { pubkey, height, synced } = reading.facts.info;
      // While it looks through the chain again it lists what it has come to.
      if (!synced) return { unknown: 'the Lightning node does not follow the chain' };
      const position = store.settings.get<Position>(setting);
      const begins = position?.pubkey !== pubkey || store.ledger.balance(of, account) === null;
      const start = Math.max(0, height - buried);
      const from = begins || start - position.from > buried ? start : position.from;
      const held = await ports.lightning.chainWallet(begins ? start : position.from);
      const look = { store, held, pubkey, from };
      return begins ? begin(look) : judge(look, position);
    },
  };
}

/** The books begin with what is in blocks. */
function begin({ store, held, pubkey, from }: Look): BookLook | Unknown {
  if (held.doubt > 0n) return { unknown: 'the books begin once what its wallet spends is in a block' };
  const { mined, onItsWay } = sortOut(held, new Set());
  const seen = held.ours * msatPerSat + onItsWay;
  const lines = [line('opening', seen - (store.ledger.balance(of, account) ?? 0n), null)];
  return lookOf({ lines, seen, onItsWay, difference: 0n }, () => {
    for (const place of placesOf(store).keys()) store.bookCoins.remove(of, place);
    for (const { txid, amount } of mined) store.bookCoins.put(of, placeOf('opening', txid), amount * msatPerSat);
    store.settings.put(setting, { pubkey, from } satisfies Position);
  });
}

function judge({ store, held, pubkey, from }: Look, position: Position): BookLook | Unknown {
  const booked = placesOf(store);
  const { mined, onItsWay, heights } = sortOut(held, new Set([...booked.keys()].map(txidOf)));
  const missing = [...booked].filter(([place]) => !heights.has(txidOf(place)));
  const lines = [
    ...mined.flatMap((one) => linesOf(one, (one.height ?? 0) >= from)),
    ...missing.map(([place, amount]) => line(kindOf(place), -amount, `${txidOf(place)}, taken back`, { place })),
  ];
  const seen = held.ours * msatPerSat + onItsWay;
  const after = lines.reduce((sum, { amount }) => sum + amount, store.ledger.balance(of, account) ?? 0n);
  const difference = seen - after;
  if (difference > 0n && difference <= held.doubt * msatPerSat)
    return { unknown: 'a coin that is leased or spent twice may be spent already' };
  const old = [...booked.keys()].filter((place) => (heights.get(txidOf(place)) ?? from) < from);
  return lookOf(
    { lines, seen, onItsWay, difference },
    from === position.from
      ? undefined
      : () => {
          for (const place of old) store.bookCoins.remove(of, place);
          store.settings.put(setting, { pubkey, from } satisfies Position);
        },
  );
}

/** What is in a block and not booked, and what is in none: that is on its way, unless it was booked before. */
function sortOut({ transactions }: ChainWallet, booked: ReadonlySet<string>) {
  const news = transactions.filter(({ txid }) => !booked.has(txid));
  const waiting = news.filter(({ height }) => height === null);
  return {
    mined: news.filter(({ height }) => height !== null),
    onItsWay: waiting.reduce((sum, { amount }) => sum - amount * msatPerSat, 0n),
    heights: new Map(transactions.map(({ txid, height }) => [txid, height])),
  };
}

/** `keeps`: it may be taken back yet. */
function linesOf({ txid, amount, fee, label }: ChainTransaction, keeps: boolean): readonly CoinLine[] {
  const cost = amount < 0n ? fee : 0n;
  const rest = amount + cost;
  const note = label === '' ? txid : `${txid}, ${label}`;
  const kinds = [
    [rest > 0n && label === '' ? 'deposit' : 'elsewhere', rest],
    ['miner-fee', -cost],
  ] as const;
  return kinds
    .filter(([, worth]) => worth !== 0n)
    .map(([kind, sats]) => {
      const worth = sats * msatPerSat;
      return line(kind, worth, note, keeps ? { place: placeOf(kind, txid), keep: worth } : {});
    });
}

function lookOf(verdict: BookLook['verdict'], alongside: (() => void) | undefined): BookLook {
  return {
    // It is asked anew each time.
    reading: {},
    verdict,
    writeOff: (reason) => [line('write-off', verdict.difference, reason)],
    ...(alongside === undefined ? {} : { alongside }),
  };
}

function line(
  kind: CoinLine['kind'],
  amount: bigint,
  note: string | null,
  { place = '', keep = null }: { readonly place?: string; readonly keep?: bigint | null } = {},
): CoinLine {
  return { kind, subject: 'wallet', amount, place, keep, note };
}

/** What was booked of each transaction that may be taken back, by kind: the channels' own place has one word. */
function placesOf({ bookCoins }: Store): Map<string, bigint> {
  return new Map([...bookCoins.all(of)].filter(([place]) => place.includes(' ')));
}

const placeOf = (kind: CoinLine['kind'], txid: string): string => `${kind} ${txid}`;
const kindOf = (place: string): CoinLine['kind'] => place.slice(0, place.indexOf(' ')) as CoinLine['kind'];
const txidOf = (place: string): string => place.slice(place.indexOf(' ') + 1);
