import { toHex } from '../../domain/hex.ts';
import { btcOn } from '../../domain/money.ts';
import type { ListedInvoice, ListedPayment, ListPage } from '../../legs/lightning/port.ts';
import type { Sha256 } from '../../domain/hash.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { accountPlace } from '../../runtime/networks/evm/moved.ts';
import type { Store } from '../../store/store.ts';
import { lightningWithdrawal } from '../../swap/jobs/withdrawal.ts';
import { depositText } from '../owner/deposit-text.ts';
import type { CoinLine } from './coins.ts';

const of = btcOn('lightning');
const setting = 'books-lightning';
/** Rows of one page, and pages of one look: what is longer is read by the next ones. */
export const pageRows = 500;
const mostPages = 4;
/** Rows that are read along rather than asked past by one more call. */
const gap = 50;

/** How far a list was read, and the rows before that which were not over yet. */
interface Place {
  readonly after: number;
  readonly open: readonly number[];
}

/** What was read of the lists of the Lightning node, and the channels that it had then. */
export interface Position {
  /** Of the node: another one has other lists. */
  readonly pubkey: string;
  readonly payments: Place;
  readonly invoices: Place;
  readonly channels: readonly string[];
}

interface Row {
  readonly index: number;
  readonly is: string;
}

type List<T> = (page: ListPage) => Promise<readonly T[]>;

/** What was read of both lists. */
interface Lists {
  /** Nothing of them is left to read. */
  readonly whole: boolean;
  /** Millisatoshis of payments under way that are with their payees for good. */
  readonly partly: bigint;
}

export function keptPosition({ settings }: Pick<Store, 'settings'>): Position | null {
  return settings.get<Position>(setting);
}

export function keepPosition({ settings }: Pick<Store, 'settings'>, position: Position): void {
  settings.put(setting, position);
}

const isOpen = ({ is }: Row): boolean => is === 'open' || is === 'in-flight';

/** The end of a list, by its newest rows. */
export function placeAfter(newest: readonly Row[]): Place {
  return {
    after: Math.max(0, ...newest.map(({ index }) => index)),
    open: newest.filter(isOpen).map(({ index }) => index),
  };
}

/**
 * Reads what is new in the lists, and books what settled to the swap or the job that it was for, or as what was moved
 * for others. It costs what is new and what is not over, whatever the history; invoices that are not over may be
 * thousands, of which few are ever paid: they are read where `openInvoices` asks for it.
 */
export async function readLists(
  runtime: Runtime,
  position: Position,
  channels: readonly string[],
  openInvoices: boolean,
): Promise<Lists> {
  const { store, ports, clock } = runtime;
  const port = ports.lightning;
  if (port === null) return { whole: false, partly: 0n };
  const payments = await follow<ListedPayment>((page) => port.payments(page), position.payments, true);
  const invoices = await follow<ListedInvoice>((page) => port.invoices(page), position.invoices, openInvoices);
  const lines = [
    ...payments.ended.filter(({ is }) => is === 'settled').map((one) => paymentLine(store, one)),
    ...invoices.ended.filter(({ is }) => is === 'settled').flatMap((one) => invoiceLines(store, one, channels)),
  ].filter(({ amount }) => amount !== 0n);
  const next: Position = { ...position, payments: payments.place, invoices: invoices.place };
  if (JSON.stringify(next) !== JSON.stringify(position))
    store.atomically(() => {
      keepPosition(store, next);
      for (const { kind, subject, amount, note } of lines)
        store.ledger.write(subject, clock.now().wall, kind, { ...of, amount }, note);
      const before = store.bookCoins.all(of).get(accountPlace) ?? 0n;
      store.bookCoins.put(of, accountPlace, before + lines.reduce((sum, { amount }) => sum + amount, 0n));
    });
  return {
    whole: payments.whole && invoices.whole,
    partly: payments.still.reduce((sum, { sent }) => sum + sent, 0n),
  };
}

/** Rows that are over since, those that are not, and how far it was read. */
async function follow<T extends Row>(
  list: List<T>,
  { after: from, open }: Place,
  openToo: boolean,
): Promise<{
  readonly ended: readonly T[];
  readonly still: readonly T[];
  readonly place: Place;
  readonly whole: boolean;
}> {
  const before = openToo ? await readOpen(list, open) : [];
  const news: T[] = [];
  let [after, whole] = [from, false];
  for (let i = 0; i < mostPages && !whole; i++) {
    const page = await list({ after, most: pageRows });
    news.push(...page);
    after = Math.max(after, ...page.map(({ index }) => index));
    whole = page.length < pageRows;
  }
  const rows = [...before, ...news];
  const still = rows.filter(isOpen);
  const places = still.map(({ index }) => index);
  return {
    ended: rows.filter((row) => !isOpen(row)),
    still,
    place: { after, open: openToo ? places : [...open, ...places] },
    whole,
  };
}

/** Rows at these places, in as few calls as they lie together; one that is not there any more was never paid. */
async function readOpen<T extends Row>(list: List<T>, open: readonly number[]): Promise<T[]> {
  const rows: T[] = [];
  for (let at = 0; at < open.length;) {
    const first = open[at] ?? 0;
    let end = at;
    while (closeTo(open, end, first)) end++;
    const last = open[end] ?? first;
    const among = new Set(open.slice(at, end + 1));
    const page = await list({ after: first - 1, most: last - first + 1 });
    rows.push(...page.filter(({ index }) => among.has(index)));
    at = end + 1;
  }
  return rows;
}

function closeTo(open: readonly number[], at: number, first: number): boolean {
  const [here = 0, next] = [open[at], open[at + 1]];
  return next !== undefined && next - here <= gap && next - first < pageRows;
}

type Line = Pick<CoinLine, 'kind' | 'subject' | 'amount' | 'note'>;

function paymentLine(store: Store, { hash, sent }: ListedPayment): Line {
  const subject = subjectOf(
    store,
    hash,
    (machine) => machine === lightningWithdrawal.name || /^[^-]+-lightning$/.test(machine),
  );
  return subject === null
    ? { kind: 'elsewhere', subject: 'wallet', amount: -sent, note: `payment ${toHex(hash)}` }
    : { kind: 'moved', subject, amount: -sent, note: toHex(hash) };
}

/** What came over a channel that is gone came on the chain, to the wallet of the Lightning node. */
function invoiceLines(store: Store, { hash, description, came }: ListedInvoice, channels: readonly string[]): Line[] {
  const sum = (parts: ListedInvoice['came']): bigint => parts.reduce((total, { msat }) => total + msat, 0n);
  const subject = subjectOf(store, hash, (machine) => machine.startsWith('lightning-'));
  const amount = sum(came);
  const note = `invoice ${toHex(hash)}`;
  return [
    subject === null
      ? { kind: description === depositText ? 'deposit' : 'elsewhere', subject: 'wallet', amount, note }
      : { kind: 'moved', subject, amount, note: toHex(hash) },
    {
      kind: 'elsewhere',
      subject: 'wallet',
      amount: -sum(came.filter(({ channel }) => !channels.includes(channel))),
      note: `${note}, on the chain`,
    },
  ];
}

/** One hash may be of an invoice and of a payment of ours: which one a swap made follows from its machine. */
function subjectOf(store: Store, hash: Sha256, does: (machine: string) => boolean): string | null {
  const id = store.hashes.usedBy(hash160OfSha256(hash));
  const machine = id === null ? undefined : store.swaps.head(id)?.machine;
  return machine !== undefined && does(machine) ? id : null;
}
