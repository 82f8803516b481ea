import type { WalletName } from '../../domain/accounts.ts';
import { isEvm, type Network } from '../../domain/chain.ts';
import { PortFailure, refuse, type Refusal } from '../../domain/errors.ts';
import type { Asset } from '../../domain/money.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { slices } from '../../runtime/slices.ts';
import type { Networks } from '../networks/networks.ts';
import { createRounds, type Rounds } from '../rounds.ts';
import { beginsAnew } from './anew.ts';
import { arkadeBook } from './arkade.ts';
import { bitcoinBook } from './bitcoin.ts';
import { chainWalletBook } from './chain-wallet.ts';
import type { CoinLine, Verdict } from './coins.ts';
import { evmBook } from './evm.ts';
import { lightningBook } from './lightning.ts';
import { tornAccounts, type Torn } from './own-lines.ts';
import { differs, tears, tellsOf } from './sentences.ts';
import type { BookLook, Unknown, WalletBook } from './wallet-book.ts';

/** Lines that are booked in one commit. */
const linesAtOnce = 200;
/** Looks, each at a new reading, at which the same difference must stand before anybody is alarmed. */
const stands = 3;

/** What was last found out of a wallet account. */
export interface BookState {
  readonly of: Asset;
  readonly account: WalletName;
  /** Null while nothing can be said, and then `unknown` says why. */
  readonly verdict: Omit<Verdict, 'lines'> | null;
  readonly unknown: string | null;
  /** A difference that stood, and stops new swaps over its network. */
  readonly alarm: boolean;
}

interface Account {
  readonly book: WalletBook;
  last: BookLook | null;
  unknown: string | null;
  none: boolean;
  /** The difference that was told of last, and how. */
  lastAlert: { readonly by: bigint; readonly sentence: string } | null;
  /** The same difference, at so many readings. */
  apart: { readonly by: bigint; readonly reading: unknown; readonly count: number } | null;
}

/**
 * The wallet accounts of the books beside what the networks say, and every account beside its own lines, again and
 * again. A look costs what is there and what moved since the one before, whatever the history. What moved is booked as
 * it is seen; a difference that stands stops new swaps over its network, until it is gone or the owner writes it off.
 * Claims and refunds go on.
 */
export function createBooks(options: { runtime: Runtime; networks: () => Networks; everyMs: number }) {
  const { runtime, networks } = options;
  const accounts = booksOf(runtime, networks).map((book): Account => ({
    book,
    last: null,
    unknown: 'not looked at yet',
    none: false,
    apart: null,
    lastAlert: null,
  }));

  async function look(): Promise<void> {
    for (const account of accounts) await lookAt(runtime, account);
    const torn = await tornAccounts(runtime.store);
    for (const { network } of [...accounts.map(({ book }) => book.of), ...torn.map(({ of }) => of)])
      closeOrOpen(
        runtime,
        network,
        accounts.filter(({ book, none }) => book.of.network === network && !none),
        torn.find(({ of }) => of.network === network),
      );
  }

  const rounds: Rounds = createRounds(runtime, {
    name: 'comparing the books with the networks',
    everyMs: options.everyMs,
    round: look,
  });

  return {
    ...rounds,
    states: (): readonly BookState[] => accounts.filter(({ none }) => !none).map(stateOf),
    /** The owner's word that a difference is not to be found: it is booked as such. */
    async writeOff(of: Asset, reason: string, name: WalletName = 'wallet'): Promise<BookState | Refusal> {
      await rounds.check();
      const account = accounts.find(({ book }) => isOf(book.of, of) && book.account === name);
      const torn = (await tornAccounts(runtime.store)).filter((one) => isOf(one.of, of));
      for (const one of torn) runtime.store.ledger.mend(runtime.clock.now().wall, of, one.account, one.lines, reason);
      if (torn.length > 0) {
        await rounds.check();
        return account === undefined
          ? { of, account: name, verdict: null, unknown: null, alarm: false }
          : stateOf(account);
      }
      if (account === undefined)
        return refuse('not-found', `The books have no ${name} of ${of.asset} on ${of.network}.`);
      if (account.last === null || account.last.verdict.difference === 0n || !isApart(account))
        return refuse(
          'forbidden',
          'There is no difference that stands in this account: there is nothing to write off.',
        );
      await save(runtime, account.book, account.last.writeOff(reason));
      account.apart = null;
      await rounds.check();
      return stateOf(account);
    },
  };
}

function booksOf(runtime: Runtime, networks: () => Networks): WalletBook[] {
  const { ports } = runtime;
  return [
    ...(ports.arkade === null ? [] : [arkadeBook(runtime, networks)]),
    ...(ports.lightning === null ? [] : [lightningBook(runtime, networks), chainWalletBook(runtime, networks)]),
    ...(ports.bitcoinWallet === undefined ? [] : [bitcoinBook(runtime, networks)]),
    ...Object.keys(ports)
      .filter(isEvm)
      .flatMap((chain) => [evmBook(runtime, networks, chain, 'coin'), evmBook(runtime, networks, chain, 'pegged')]),
  ];
}

/** A network that does not answer leaves what was known as it is: unknown is neither equal nor apart. */
async function lookAt(runtime: Runtime, account: Account): Promise<void> {
  const seen = await account.book.look().catch((cause: unknown) => {
    if (cause instanceof PortFailure) return { unknown: cause.message } as Unknown;
    throw cause;
  });
  if ('unknown' in seen) {
    account.unknown = seen.unknown;
    account.none = seen.none === true;
    return;
  }
  const { book } = account;
  await save(runtime, book, seen.verdict.lines, seen.alongside);
  account.unknown = null;
  account.none = false;
  account.last = seen;
  const by = seen.verdict.difference;
  const { apart } = account;
  if (by === 0n) account.apart = account.lastAlert = null;
  else if (apart === null || !isSame(apart.by, seen)) account.apart = { by, reading: seen.reading, count: 1 };
  else account.apart = { by, reading: seen.reading, count: apart.count + (apart.reading === seen.reading ? 0 : 1) };
  // What stands, or nothing: a reading may be older than what our own transactions did since.
  if ((by === 0n || isApart(account)) && beginsAnew(runtime.store, book) && by !== 0n) {
    await save(
      runtime,
      book,
      seen.writeOff('the database was restored').map((line) => ({ ...line, kind: 'opening' })),
    );
    account.apart = null;
  }
}

/** Whether a look finds the difference that was there before. */
function isSame(before: bigint, { verdict: { difference }, shrinks }: BookLook): boolean {
  return before === difference || (shrinks === true && before < 0n && difference < 0n);
}

/** One that was told of, and that a stranger's dust made smaller since, is no news. */
function isTold({ lastAlert, last }: Account, by: bigint): boolean {
  if (lastAlert === null) return false;
  return lastAlert.by === by || (last?.shrinks === true && lastAlert.by < by && by < 0n);
}

/**
 * New swaps over a network wait from a difference that stands until there is none, or nobody knows of any. An account
 * that is not what its lines come to is named first: what its wallet is apart by may be that.
 */
function closeOrOpen(
  { guard, alert }: Runtime,
  network: Network,
  accounts: readonly Account[],
  torn: Torn | undefined,
): void {
  if (torn !== undefined) {
    const sentence = tears(torn);
    if (guard.closed(network) === sentence) return;
    guard.close(network, sentence);
    alert(null, sentence);
    return;
  }
  const apart = accounts.filter(isApart);
  for (const account of apart) {
    const by = account.apart?.by ?? 0n;
    if (isTold(account, by)) continue;
    const sentence = sentenceOf(account);
    account.lastAlert = { by, sentence };
    guard.close(network, sentence);
    alert(null, sentence);
  }
  // What it was closed for since may be mended.
  const [first] = apart;
  if (first?.lastAlert && !apart.some(({ lastAlert }) => lastAlert?.sentence === guard.closed(network)))
    guard.close(network, first.lastAlert.sentence);
  // Of an account that was not looked at since the start a closure is the word of the run before, where it names it.
  const closed = guard.closed(network) ?? '';
  if (accounts.some(({ book, last, apart }) => apart !== null || (last === null && tellsOf(closed, book)))) return;
  guard.close(network, null);
}

/**
 * Each line with its coin; thousands in parts, for others have their turns between. What has to be saved with them
 * makes one part of all.
 */
async function save(
  { store, clock }: Runtime,
  { of, account }: Pick<WalletBook, 'of' | 'account'>,
  lines: readonly CoinLine[],
  alongside?: () => void,
): Promise<void> {
  if (lines.length === 0 && alongside === undefined) return;
  const { wall } = clock.now();
  const pause = slices();
  const atOnce = alongside === undefined ? linesAtOnce : Number.POSITIVE_INFINITY;
  for (let i = 0; i === 0 || i < lines.length; i += atOnce) {
    store.atomically(() => {
      alongside?.();
      for (const { kind, subject, amount, place, keep, note } of lines.slice(i, i + atOnce)) {
        store.ledger.write(subject, wall, kind, { ...of, amount }, note, account);
        if (keep !== null) store.bookCoins.put(of, place, keep);
        else if (place !== '') store.bookCoins.remove(of, place);
      }
    });
    await pause();
  }
}

function isOf(one: Asset, other: Asset): boolean {
  return one.network === other.network && one.asset === other.asset;
}

function isApart({ apart }: Account): boolean {
  return apart !== null && apart.count >= stands;
}

function sentenceOf({ book, last }: Account): string {
  return differs(book, last?.verdict ?? { seen: 0n, difference: 0n });
}

function stateOf(account: Account): BookState {
  const { book, last, unknown } = account;
  const verdict = last === null ? null : { ...last.verdict };
  return { of: book.of, account: book.account, verdict, unknown, alarm: isApart(account) };
}

export type Books = ReturnType<typeof createBooks>;
