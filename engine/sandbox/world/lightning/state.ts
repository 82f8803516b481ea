import type { Journal } from '../journal.ts';
import { type Balances, startBalances } from './network.ts';
import type { AddressKind, WalletAddress } from './wallet.ts';
import { type Invoice, type Party, type Payment, invoiceFromRow, paymentFromRow, toRow } from './records.ts';

export interface Faults {
  /** What happens to the next payment that the node starts. */
  readonly nextPayment: 'fails' | 'hangs' | null;
  /** Whether the owner's node answers its API; its channels live on either way. */
  readonly node: 'away' | 'back';
  /** Whether the hub is there, the node's only peer. */
  readonly peer: 'away' | 'back';
  /** Whether the node's chain backend is there: without it lnd never answers a call that needs the chain. */
  readonly chain: 'away' | 'back';
}

const noFaults: Faults = { nextPayment: null, node: 'back', peer: 'back', chain: 'back' };

export type LightningEvent =
  | { readonly is: 'invoice'; readonly owner: Party; readonly hash: string; readonly change: InvoiceChange }
  | { readonly is: 'payment'; readonly payer: Party; readonly hash: string }
  | { readonly is: 'node'; readonly state: Faults['node'] };

export type InvoiceChange = 'added' | 'accepted' | 'settled' | 'cancelled';

/** Everything that a Lightning world remembers, in memory and in the journal at once. */
export interface LightningState {
  readonly keys: { readonly node: string; readonly hub: string; readonly outside: string };
  balances(): Balances;
  /** How often they were set. */
  moves(): number;
  setBalances(balances: Balances): void;
  faults(): Faults;
  setFaults(faults: Faults): void;
  invoice(owner: Party, hash: string): Invoice | undefined;
  invoices(owner: Party): Invoice[];
  /** Open ones and accepted ones: those that time can change. */
  unresolvedInvoices(): Invoice[];
  saveInvoice(invoice: Invoice): void;
  payment(payer: Party, hash: string): Payment | undefined;
  payments(payer: Party): Payment[];
  inFlightPayments(): Payment[];
  savePayment(payment: Payment): void;
  addresses(): readonly WalletAddress[];
  addAddress(kind: AddressKind): WalletAddress;
  /** Counts up from 1 by name. */
  next(counter: string): number;
  emit(event: LightningEvent): void;
  onEvent(listener: (event: LightningEvent) => void): () => void;
  /** One durable change; listeners hear of it once it is. */
  change<T>(work: () => T): T;
}

const tables = {
  keys: 'lightning_keys',
  one: 'lightning',
  invoice: 'lightning_invoice',
  payment: 'lightning_payment',
  counter: 'lightning_counter',
  address: 'lightning_address',
};

const movesCounter = 'moves';

/** What is written down. */
interface Book {
  readonly journal: Journal;
  readonly newKey: () => string;
  readonly invoices: Map<string, Invoice>;
  readonly unresolved: Set<string>;
  readonly payments: Map<string, Payment>;
  readonly inFlight: Set<string>;
}

export function openState(journal: Journal, newKey: () => string): LightningState {
  const invoices = new Map<string, Invoice>();
  const unresolved = new Set<string>();
  const payments = new Map<string, Payment>();
  const inFlight = new Set<string>();
  const own: Book = { journal, newKey, invoices, unresolved, payments, inFlight };

  const counters = new Map(journal.rows(tables.counter).map(([key, row]) => [key, row as number]));
  const one = new Map(journal.rows(tables.one));
  const addresses = journal
    .rows(tables.address)
    .map(([, row]) => row as WalletAddress)
    .sort((a, b) => a.index - b.index);
  const listeners = new Set<(event: LightningEvent) => void>();
  let waiting: LightningEvent[] = [];
  let depth = 0;

  let balances = readBalances(one.get('balances')) ?? startBalances;
  let faults: Faults = { ...noFaults, ...(one.get('faults') as Partial<Faults> | undefined) };
  const keys = Object.fromEntries(
    (['node', 'hub', 'outside'] as const).map((name) => [name, keyOf(own, name)]),
  ) as LightningState['keys'];

  function count(counter: string): number {
    const value = (counters.get(counter) ?? 0) + 1;
    counters.set(counter, value);
    journal.put(tables.counter, counter, value);
    return value;
  }

  for (const [, row] of journal.rows(tables.invoice)) rememberInvoice(own, invoiceFromRow(row));
  for (const [, row] of journal.rows(tables.payment)) rememberPayment(own, paymentFromRow(row));

  return {
    keys,
    balances: () => balances,
    moves: () => counters.get(movesCounter) ?? 0,
    setBalances(next) {
      balances = next;
      count(movesCounter);
      journal.put(
        tables.one,
        'balances',
        Object.fromEntries(Object.entries(next).map(([name, value]) => [name, String(value)])),
      );
    },
    faults: () => faults,
    setFaults(next) {
      faults = next;
      journal.put(tables.one, 'faults', next);
    },
    invoice: (owner, hash) => invoices.get(`${owner}:${hash}`),
    invoices: (owner) =>
      [...invoices.values()].filter((invoice) => invoice.owner === owner).sort((a, b) => a.addIndex - b.addIndex),
    unresolvedInvoices: () => pick(unresolved, invoices),
    saveInvoice(invoice) {
      journal.put(tables.invoice, `${invoice.owner}:${invoice.hash}`, toRow(invoice));
      rememberInvoice(own, invoice);
    },
    payment: (payer, hash) => payments.get(`${payer}:${hash}`),
    payments: (payer) =>
      [...payments.values()].filter((payment) => payment.payer === payer).sort((a, b) => a.index - b.index),
    inFlightPayments: () => pick(inFlight, payments),
    savePayment(payment) {
      journal.put(tables.payment, `${payment.payer}:${payment.hash}`, toRow(payment));
      rememberPayment(own, payment);
    },
    addresses: () => addresses,
    addAddress(kind) {
      const address = { kind, index: addresses.length };
      journal.put(tables.address, String(address.index), address);
      addresses.push(address);
      return address;
    },
    next: count,
    emit: (event) => void waiting.push(event),
    onEvent(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    change(work) {
      depth++;
      let result: ReturnType<typeof work>;
      try {
        result = journal.atomically(work);
      } catch (error) {
        if (depth === 1) waiting = [];
        throw error;
      } finally {
        depth--;
      }
      if (depth === 0) {
        const events = waiting;
        waiting = [];
        for (const event of events) for (const listener of [...listeners]) listener(event);
      }
      return result;
    },
  };
}

function keyOf({ journal, newKey }: Book, name: string): string {
  const stored = new Map(journal.rows(tables.keys)).get(name);
  if (typeof stored === 'string') return stored;
  const key = newKey();
  journal.put(tables.keys, name, key);
  return key;
}

function rememberInvoice({ invoices, unresolved }: Book, invoice: Invoice): void {
  const key = `${invoice.owner}:${invoice.hash}`;
  invoices.set(key, invoice);
  if (invoice.state === 'open' || invoice.state === 'accepted') unresolved.add(key);
  else unresolved.delete(key);
}

function rememberPayment({ payments, inFlight }: Book, payment: Payment): void {
  const key = `${payment.payer}:${payment.hash}`;
  payments.set(key, payment);
  if (payment.outcome === 'in-flight') inFlight.add(key);
  else inFlight.delete(key);
}

function pick<T>(keysOfSome: Iterable<string>, all: Map<string, T>): T[] {
  return [...keysOfSome].flatMap((key) => all.get(key) ?? []);
}

function readBalances(row: unknown): Balances | undefined {
  if (row === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(row as Record<string, string>).map(([name, value]) => [name, BigInt(value)]),
  ) as unknown as Balances;
}
