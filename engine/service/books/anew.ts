import type { Asset } from '../../domain/money.ts';
import type { Store } from '../../store/store.ts';

const setting = 'books-anew';

function keyOf({ network, asset }: Asset): string {
  return `${network} ${asset}`;
}

/**
 * A database that is older than what happened does not know what moved its wallets since: each begins anew with what it
 * holds once that stands. What the comparison with the networks finds is told of by that, and not a second
 * time as money that is missing.
 */
export function beginBooksAnew({ ledger, settings }: Pick<Store, 'ledger' | 'settings'>): void {
  const wallets = ledger.balances().filter(({ account }) => account === 'wallet');
  settings.put(setting, wallets.map(keyOf));
}

/** Whether a wallet is to begin anew, asked once. */
export function beginsAnew({ settings }: Pick<Store, 'settings'>, of: Asset): boolean {
  const waiting = settings.get<readonly string[]>(setting) ?? [];
  if (!waiting.includes(keyOf(of))) return false;
  settings.put(
    setting,
    waiting.filter((key) => key !== keyOf(of)),
  );
  return true;
}
