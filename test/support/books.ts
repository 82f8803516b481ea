import type { accountPlan } from '../../engine/domain/accounts.ts';
import type { Network } from '../../engine/domain/chain.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { intervalsOf } from '../../engine/intervals.ts';
import type { Asset } from '../../engine/domain/money.ts';
import { tornAccounts } from '../../engine/service/books/own-lines.ts';
import type { TestNode } from './node.ts';

/** Looks at the books as often as a difference has to stand, each time at a new reading of the networks. */
export async function lookAtBooks({ networks, books }: TestNode, times = 3): Promise<void> {
  for (let i = 0; i < times; i++) {
    await networks.refresh();
    await books.check();
  }
}

/**
 * Seconds until a network is closed, by what a node on real networks does at intervals, from the moment after it did
 * all of it; null where that takes longer than a minute.
 */
export async function secondsUntilClosed({ runtime, networks, books }: TestNode, network: Network) {
  const every = intervalsOf(false);
  for (let ms = 1_000; ms <= 60_000; ms += 1_000) {
    if (ms % every.networks === 0) await networks.refresh();
    if (ms % every.books === 0) await books.check();
    if (runtime.guard.closed(network) !== null) return ms / 1_000;
  }
  return null;
}

/** What the books say of an account, in the ledger's units. */
export function inBooks({ store }: TestNode, of: Asset, account: keyof typeof accountPlan = 'wallet'): bigint {
  return store.ledger.balance(of, account) ?? 0n;
}

/** What the networks themselves say of the wallets, in the ledger's units, by `network asset`. */
export async function onNetworks({ runtime: { ports }, networks }: TestNode): Promise<Map<string, bigint>> {
  const held = new Map<string, bigint>();
  const coins = (await ports.arkade?.walletCoins()) ?? [];
  held.set(
    'arkade btc',
    coins.filter(({ unrolled }) => !unrolled).reduce((sum, { amount }) => sum + amount * 1_000n, 0n),
  );
  if (ports.lightning !== null) held.set('lightning btc', (await ports.lightning.holdings()).ours);
  if (ports.bitcoinWallet !== undefined)
    held.set('bitcoin btc', (await ports.bitcoinWallet.balance([])).available * 1_000n);
  for (const [network, reader] of networks.chains) {
    const last = reader.last();
    if (last.state !== 'connected') continue;
    for (const { token, units } of [last.facts.coin, ...(last.facts.pegged === null ? [] : [last.facts.pegged])])
      held.set(`${network} 0x${toHex(token)}`, units);
  }
  return held;
}

/** The wallets by the books, in the same form. */
export function walletsInBooks({ store }: TestNode): Map<string, bigint> {
  const wallets = store.ledger.balances().filter(({ account }) => account === 'wallet');
  return new Map(wallets.map(({ network, asset, amount }) => [`${network} ${asset}`, amount]));
}

/** Of each asset the sum over all accounts: zero, or the books are broken. */
export function sumsOf({ store }: TestNode): readonly bigint[] {
  const sums = new Map<string, bigint>();
  for (const { network, asset, amount } of store.ledger.balances())
    sums.set(`${network} ${asset}`, (sums.get(`${network} ${asset}`) ?? 0n) + amount);
  return [...sums.values()];
}

/** What a wallet of the books has that is not final on its network yet. */
export function onItsWay({ books }: TestNode, name: string): bigint {
  const state = books.states().find(({ of }) => `${of.network} ${of.asset}` === name);
  return state?.verdict?.onItsWay ?? 0n;
}

/** Begins them with what lies there now, which has to stand where others move it too. */
export async function openBooks({ networks, books }: TestNode): Promise<void> {
  await books.check();
  for (let i = 0; i < 2 && books.states().some(({ verdict }) => verdict === null); i++) {
    await networks.refresh();
    await books.check();
  }
}

/** More looks than a difference has to stand, or what came over Lightning, before it is somebody's. */
const mostLooks = 8;

/**
 * Wallets of which the books and the network go on saying something else, by name; none of a node that was killed. What
 * a network does not say now is nothing to compare with.
 */
export async function booksApart(node: TestNode): Promise<readonly string[]> {
  let apart: readonly string[] = [];
  for (let i = 0; i < mostLooks && (i === 0 || apart.length > 0); i++) {
    try {
      await lookAtBooks(node, 1);
    } catch (cause) {
      if (cause instanceof TypeError && cause.message.includes('database connection is not open')) return [];
      throw cause;
    }
    apart = [
      ...node.books
        .states()
        .flatMap(({ of, verdict }) =>
          verdict === null || verdict.difference === 0n ? [] : [`${of.network} ${of.asset} by ${verdict.difference}`],
        ),
      ...(await tornAccounts(node.store)).map(({ of, account }) => `${of.network} ${of.asset} in ${account}`),
    ];
  }
  return apart;
}

/** Throws where books and networks differ and nobody said why, and where they agree though somebody did. */
export function judgeBooks(apart: readonly string[], why: string | null): void {
  if (apart.length > 0 && why === null) throw new Error(`the books do not agree: ${apart.join(', ')}`);
  if (apart.length === 0 && why !== null) throw new Error(`the books agree, though ${why}`);
}
