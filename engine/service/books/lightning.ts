import { toHex } from '../../domain/hex.ts';
import { btcOn, msatPerSat } from '../../domain/money.ts';
import type { LightningHoldings, LightningHtlc, LightningPort } from '../../legs/lightning/port.ts';
import { accountPlace } from '../../runtime/networks/evm/moved.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Networks } from '../networks/networks.ts';
import type { CoinLine } from './coins.ts';
import { keepPosition, keptPosition, pageRows, placeAfter, readLists, type Position } from './lightning-lists.ts';
import { createStanding } from './standing.ts';
import type { BookLook, Unknown, WalletBook } from './wallet-book.ts';

const of = btcOn('lightning');
/** Readings of one look, for one between whose begin and end nothing moved. */
const readings = 3;
/** Looks after which open invoices are read though nothing is missing: one may be paid on the chain. */
const allAfter = 30;

/** The node's part of what one look goes by. */
interface Look {
  readonly runtime: Runtime;
  readonly port: LightningPort;
  readonly pubkey: string;
  readonly held: LightningHoldings;
  /** Invoices that are not over are read in any case. */
  readonly all: boolean;
  readonly stood: (amount: bigint, reading: unknown) => boolean;
}

/**
 * What is ours in the channels, beside what the books began with and what the node lists since: payments with their
 * routing, and invoices. Others move it too, and what is not this node's is booked as that: what is listed under its
 * hash, what is there beyond that as what was forwarded, and all of it where channels came or went. What is missing and
 * listed nowhere is the difference.
 */
export function lightningBook(runtime: Runtime, networks: () => Networks): WalletBook {
  const stood = createStanding();
  let looks = 0;
  return {
    of,
    account: 'wallet',
    async look() {
      const all = ++looks % allAfter === 0;
      const reading = networks().lightning();
      const port = runtime.ports.lightning;
      if (port === null || reading.state !== 'connected') return { unknown: 'the Lightning node does not answer' };
      const { pubkey } = reading.facts.info;
      for (let i = 0; i < readings; i++) {
        const held = await port.holdings();
        const seen = await lookAt({ runtime, port, pubkey, held, all, stood });
        // The lists and the channels are asked one after the other, and are of one moment where nothing moved.
        if ((await port.holdings()).version === held.version) return seen();
      }
      return { unknown: 'its channels move all the time' };
    },
  };
}

async function lookAt(look: Look): Promise<() => BookLook | Unknown> {
  const { runtime, port, pubkey, held, all } = look;
  const { store } = runtime;
  const read = (openInvoices: boolean) => {
    const position = keptPosition(store);
    return position === null ? null : readLists(runtime, position, held.channels, openInvoices);
  };
  if (keptPosition(store)?.pubkey !== pubkey || base(runtime) === null) return begin(look);
  const more = () => ({ unknown: 'what it lists is being read' });
  let lists = await read(all);
  if (lists?.whole && !all && held.ours !== base(runtime)) lists = await read(true);
  if (!lists?.whole) return more;
  const by = held.ours - (base(runtime) ?? 0n);
  const isMissing = by < 0n;
  // A payee may take one part of a payment long before the others (facts/faults.md 227).
  const doubt = by === 0n ? 0n : (await doubtful(port, held.htlcs, isMissing)) + (isMissing ? lists.partly : 0n);
  return () => judge(look, by, doubt);
}

/** All that the books have of the channels; null before they are open. */
function base({ store }: Runtime): bigint | null {
  return store.bookCoins.all(of).get(accountPlace) ?? null;
}

function judge({ runtime, held, stood }: Look, by: bigint, doubt: bigint): BookLook | Unknown {
  const { store } = runtime;
  const position = keptPosition(store);
  const changed = position !== null && namesOf(position) !== namesOf(held);
  if (changed) {
    const keep = (): void => keepPosition(store, { ...position, channels: held.channels });
    return lookOf(
      runtime,
      held.ours,
      by === 0n ? [] : [line('elsewhere', by, held.ours, 'channels came or went')],
      keep,
    );
  }
  if (by !== 0n && (by < 0n ? -by : by) <= doubt) return { unknown: 'a payment has not left its channels yet' };
  const standing = stood(by, {});
  return lookOf(
    runtime,
    held.ours,
    by > 0n && standing ? [line('elsewhere', by, held.ours, 'listed nowhere')] : [],
    undefined,
    by,
  );
}

function namesOf({ channels }: Pick<Position, 'channels'>): string {
  return [...channels].sort().join();
}

/**
 * `by`: what is there beyond what was booked, or missing. What is there is no difference: it may be of somebody else.
 */
function lookOf(
  runtime: Runtime,
  seen: bigint,
  lines: readonly CoinLine[],
  alongside: (() => void) | undefined,
  by = 0n,
): BookLook {
  const balance = runtime.store.ledger.balance(of, 'wallet') ?? 0n;
  const booked = lines.reduce((sum, { amount }) => sum + amount, balance);
  const unbooked = lines.length === 0 ? by : 0n;
  const difference = seen - booked - (unbooked > 0n ? unbooked : 0n);
  return {
    reading: {},
    verdict: { lines, seen, onItsWay: 0n, difference },
    // What was listed since this look is booked already, and stays.
    writeOff: (reason) => [line('write-off', difference, (base(runtime) ?? 0n) + unbooked, reason)],
    ...(alongside === undefined ? {} : { alongside }),
  };
}

/** The books begin with what is there, at the end of both lists. */
async function begin({ runtime, port, pubkey, held }: Look): Promise<() => BookLook | Unknown> {
  const payments = await port.payments({ newest: pageRows });
  const invoices = await port.invoices({ newest: pageRows });
  const underWay = new Set(payments.filter(({ is }) => is === 'in-flight').map(({ hash }) => toHex(hash)));
  const settled = new Set(invoices.filter(({ is }) => is === 'settled').map(({ hash }) => toHex(hash)));
  const partly = payments.some(({ is, sent }) => is === 'in-flight' && sent > 0n);
  const unsure = held.htlcs.some(({ hash, incoming, forwarded }) =>
    incoming ? settled.has(toHex(hash)) : !forwarded && !underWay.has(toHex(hash)),
  );
  return () => {
    if (unsure || partly) return { unknown: 'the books begin once the payments that are under way are over' };
    const { store } = runtime;
    const amount = held.ours - (store.ledger.balance(of, 'wallet') ?? 0n);
    return lookOf(runtime, held.ours, [line('opening', amount, held.ours, null)], () =>
      keepPosition(store, {
        pubkey,
        payments: placeAfter(payments),
        invoices: placeAfter(invoices),
        channels: held.channels,
      }),
    );
  };
}

/**
 * Millisatoshis that may be missing, or too many, for a while: an HTLC whose payment is over stays in its channel until
 * the peer lets go of it. Of one that comes in nobody knows whether it was forwarded and paid already, but where an
 * invoice waits for it, or what it was forwarded as is still there.
 */
async function doubtful(port: LightningPort, htlcs: readonly LightningHtlc[], missing: boolean): Promise<bigint> {
  const leaving = new Set(htlcs.filter(({ incoming }) => !incoming).map(({ hash }) => toHex(hash)));
  let doubt = 0n;
  for (const { hash, amount, incoming, forwarded } of htlcs) {
    if (incoming !== missing) continue;
    const over = incoming
      ? !(forwarded && leaving.has(toHex(hash))) && (await mayHaveCome(port, hash))
      : !forwarded && (await port.payment(hash)).is === 'settled';
    if (over) doubt += (amount + 1n) * msatPerSat;
  }
  return doubt;
}

async function mayHaveCome(port: LightningPort, hash: LightningHtlc['hash']): Promise<boolean> {
  const { is } = await port.hold(hash);
  return is === 'settled' || is === 'absent';
}

function line(kind: CoinLine['kind'], amount: bigint, keep: bigint, note: string | null): CoinLine {
  return { kind, subject: 'wallet', amount, place: accountPlace, keep, note };
}
