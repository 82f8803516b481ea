import { walletNames, type Account } from '../../domain/accounts.ts';
import type { Asset } from '../../domain/money.ts';
import type { Store } from '../../store/store.ts';
import type { WalletBook } from './wallet-book.ts';

const setting = 'books-anew';

function keyOf({ network, asset }: Asset, account: Account): string {
  return `${network} ${asset} ${account}`;
}

/**
 * A database that is older than what happened does not know what moved its wallets since: each begins anew with what it
 * holds once that stands. What the comparison with the networks finds is told of by that, and not a second
 * time as money that is missing.
 */
export function beginBooksAnew({ ledger, settings }: Pick<Store, 'ledger' | 'settings'>): void {
  const wallets = ledger.balances().filter(({ account }) => walletNames.some((name) => name === account));
  settings.put(
    setting,
    wallets.map((wallet) => keyOf(wallet, wallet.account)),
  );
}

/** Whether a wallet is to begin anew, asked once. */
export function beginsAnew(
  { settings }: Pick<Store, 'settings'>,
  { of, account }: Pick<WalletBook, 'of' | 'account'>,
): boolean {
  const own = keyOf(of, account);
  // Before lnd's wallet on the chain was one of them, wallets had no name here.
  const keys = account === 'wallet' ? [own, `${of.network} ${of.asset}`] : [own];
  const waiting = settings.get<readonly string[]>(setting) ?? [];
  const others = waiting.filter((key) => !keys.includes(key));
  if (others.length === waiting.length) return false;
  settings.put(setting, others);
  return true;
}
