import type { EvmNetwork } from '../../domain/chain.ts';
import { toHex } from '../../domain/hex.ts';
import type { Asset } from '../../domain/money.ts';
import { evmOf } from '../../runtime/ports.ts';
import { accountPlace, coinAsset, takenWithGas } from '../../runtime/networks/evm/moved.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Networks } from '../networks/networks.ts';
import type { CoinLine, Verdict } from './coins.ts';
import { stands } from './standing.ts';
import type { BookLook, Unknown, WalletBook } from './wallet-book.ts';

/** What was there at the look before. */
interface Sight {
  readonly reading: unknown;
  /** Our transactions as the database had them. */
  readonly own: string;
  readonly sound: boolean;
}

interface Recent {
  readonly of: string;
  readonly readings: readonly { readonly amount: bigint; readonly reading: unknown }[];
}

/**
 * What the account holds on an EVM chain, of its coin and of the token that locks hold. An account has no coins that
 * could be told apart: what it holds must be what it held before and what our own mined transactions did since. What
 * came beside them came from somebody else; what left beside them left by nobody we know.
 */
export function evmBook(runtime: Runtime, networks: () => Networks, network: EvmNetwork, which: 'coin' | 'pegged') {
  const { store } = runtime;
  let before: Sight | null = null;
  let recent: Recent = { of: '', readings: [] };

  /**
   * What so many readings, one after the other, had at least: what a stranger sends at each of them is on top. Null
   * while they are fewer; one that has less begins anew, and so does one of something else.
   */
  function stood(of: string, amount: bigint, reading: unknown): bigint | null {
    const before = recent.of === of ? recent.readings.filter((one) => one.reading !== reading) : [];
    const rising = before.every((one) => one.amount <= amount) ? before : [];
    recent = { of, readings: [...rising, { amount, reading }].slice(-stands) };
    return recent.readings.length < stands ? null : (recent.readings[0]?.amount ?? null);
  }

  /**
   * Whether nothing of ours was signed, mined or buried between the look before this reading and now: else it may be
   * older than what the books have by then.
   */
  function isOfNow(reading: unknown): boolean {
    const own = ownTransactions();
    const unmoved = own === before?.own;
    const sound = before !== null && unmoved && (before.reading !== reading || before.sound);
    before = { reading, own, sound };
    return sound;
  }

  function ownTransactions(): string {
    const account = toHex(evmOf(runtime.ports, network).account());
    const open = store.nonces.open(network).map(({ nonce, mined }) => `${nonce} ${mined?.by ?? ''}`);
    return [store.nonces.last({ network, account }), ...open].join();
  }

  function held(): { readonly of: Asset; readonly units: bigint; readonly reading: unknown } | Unknown {
    const now = networks().chains.get(network)?.last();
    if (now?.state !== 'connected') return { unknown: 'no RPC answers' };
    const { coin, pegged } = now.facts;
    const isNative = pegged !== null && toHex(pegged.token) === toHex(coin.token);
    if (isNative && which === 'pegged') return { unknown: 'locks hold the coin of the chain', none: true };
    const holding = which === 'coin' ? coin : pegged;
    if (holding === null) return { unknown: 'no token is set', none: true };
    return { of: { network, asset: `0x${toHex(holding.token)}` }, units: holding.units, reading: now };
  }

  function look(): BookLook | Unknown {
    const now = held();
    if ('unknown' in now) return now;
    const { of, units, reading } = now;
    const sound = isOfNow(reading);
    const open = store.nonces.open(network);
    if (open.some(({ mined }) => mined === null)) return { unknown: 'a transaction of ours waits to be mined' };
    if (!sound) return { unknown: 'a transaction of ours may be newer than what was read' };
    const unburied = open.reduce(
      (sum, { mined }) =>
        sum + (mined === null ? 0n : (takenWithGas(mined).find(([asset]) => asset === of.asset)?.[1] ?? 0n)),
      0n,
    );
    const seen = units - unburied;
    const balance = store.ledger.balance(of, 'wallet');
    const base = store.bookCoins.all(of).get(accountPlace);
    if (balance === null || base === undefined) {
      const least = stood(`opening ${before?.own}`, seen, reading);
      if (least === null) return { unknown: 'the books begin once it is read again' };
      const lines = [line('opening', least, least, null)];
      return lookOf(reading, { lines, seen, onItsWay: -unburied, difference: 0n });
    }
    const by = seen - base;
    const more = stood('beside the books', by, reading) ?? 0n;
    const lines = more > 0n ? [line('deposit', more, base + more, null)] : [];
    if (more > 0n) recent = { of: '', readings: [] };
    // What may be the owner's yet is no difference.
    const difference = seen - balance - (by > 0n ? by : 0n);
    return lookOf(reading, { lines, seen, onItsWay: -unburied, difference });
  }

  function lookOf(reading: unknown, verdict: Verdict): BookLook {
    const { seen, difference } = verdict;
    return { reading, verdict, shrinks: true, writeOff: (reason) => [line('write-off', difference, seen, reason)] };
  }

  const asset = (): Asset['asset'] => {
    const now = held();
    return 'of' in now ? now.of.asset : coinAsset;
  };
  return {
    get of() {
      return { network, asset: asset() };
    },
    account: 'wallet',
    look: async () => look(),
  } satisfies WalletBook;
}

function line(kind: CoinLine['kind'], amount: bigint, keep: bigint, note: string | null): CoinLine {
  return { kind, subject: 'wallet', amount, place: accountPlace, keep, note };
}
