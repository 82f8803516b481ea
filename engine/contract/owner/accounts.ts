import { z } from 'zod';
import { walletNames, type WalletName } from '../../domain/accounts.ts';
import type { Network } from '../../domain/chain.ts';
import type { Asset } from '../../domain/money.ts';
import { optional, request } from '../field.ts';
import { oneOf, patterned, text } from '../scalars.ts';
import { flag, words } from '../wire.ts';

/** Amounts here are in sats with their fraction, or in the smallest unit of a token, and may be below zero. */
export const units = words('Amount');
const orNull = units.nullable();
const asset = { network: words('Network'), asset: words('Asset') };

/** An account of the books beside what its network says: see resources/docs/operate/books.md. */
const walletAccount = z.object({
  ...asset,
  account: z.enum(walletNames).meta({ description: 'Account' }),
  /** Why nothing can be said now; null where what follows is of the last look. */
  unknown: words('Why nothing can be said').nullable(),
  books: orNull,
  /** What the network says, with what is on its way. */
  seen: orNull,
  on_its_way: orNull,
  /** What the network has more than the books. */
  difference: orNull,
  alarm: flag('Whether new swaps wait for it'),
});
export type WalletAccount = z.infer<typeof walletAccount>;

/** GET /owner/accounts. Over all accounts of an asset the balances come to zero. */
export const accounts = z.object({
  accounts: z.array(z.object({ ...asset, account: words('Account'), balance: units })),
  wallets: z.array(walletAccount),
});
export type Accounts = z.infer<typeof accounts>;

/** POST /owner/accounts/write-off. */
export const writtenOff = z.object({ wallet: walletAccount });
export type WrittenOff = z.infer<typeof writtenOff>;

export interface WriteOffRequest {
  readonly of: Asset;
  readonly account: WalletName;
  readonly reason: string;
}

const named = (name: string, hint: string, form: RegExp) => patterned({ name, hint }, hint, form);

export const writeOffBody = request(
  {
    network: named('network', 'as GET /owner/accounts names it', /^[a-z]+(:\d+)?$/),
    asset: named('asset', 'as GET /owner/accounts names it', /^(btc|0x[0-9a-fA-F]{40})$/),
    account: optional(oneOf('account', 'as GET /owner/accounts names it; wallet by default', walletNames)),
    reason: text('reason', 'why', 500),
  },
  (wire): WriteOffRequest => ({
    of: { network: wire.network as Network, asset: wire.asset.toLowerCase() as Asset['asset'] },
    account: wire.account ?? 'wallet',
    reason: wire.reason,
  }),
);
