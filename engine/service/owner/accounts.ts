import type { Accounts, WalletAccount, WriteOffRequest, WrittenOff } from '../../contract/owner/accounts.ts';
import { withChecksum } from '../../domain/evm-address.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import type { BookState } from '../books/books.ts';
import type { ServiceContext } from '../context.ts';
import { unitsText } from './units-text.ts';

const noBooks = refuse('unavailable', 'This node keeps no books of its wallets.');

/** All accounts of the books, and the wallets among them beside their networks. */
export function accounts({ runtime, books }: ServiceContext): Accounts {
  return {
    accounts: runtime.store.ledger.balances().map(({ network, asset, account, amount }) => ({
      network,
      asset: withChecksum(asset),
      account,
      balance: unitsText({ asset, amount }),
    })),
    wallets: (books?.states() ?? []).map(walletOf),
  };
}

export async function writeOff(
  { books }: ServiceContext,
  { of, account, reason }: WriteOffRequest,
): Promise<WrittenOff | Refusal> {
  const state = (await books?.writeOff(of, reason, account)) ?? noBooks;
  return isRefusal(state) ? state : { wallet: walletOf(state) };
}

function walletOf({ of: { network, asset }, account, verdict, unknown, alarm }: BookState): WalletAccount {
  const shown = (amount: bigint | undefined): string | null =>
    amount === undefined ? null : unitsText({ asset, amount });
  return {
    network,
    asset: withChecksum(asset),
    account,
    unknown,
    books: shown(verdict === null ? undefined : verdict.seen - verdict.difference),
    seen: shown(verdict?.seen),
    on_its_way: shown(verdict?.onItsWay),
    difference: shown(verdict?.difference),
    alarm,
  };
}
