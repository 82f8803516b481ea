import { sats } from '../../domain/money.ts';
import type { ClosingFunds } from '../../legs/lightning/port.ts';
import type { Channel } from './channel.ts';
import { channelsOf } from './node.ts';
import { type Lnd, timed, unary } from './rpc.ts';

/** lnd's WalletBalanceResponse, as far as it is used here: neither balance has leased coins, both are in blocks. */
interface Balance {
  readonly confirmed_balance: string;
  readonly account_balance?: Readonly<Record<string, { readonly confirmed_balance: string } | undefined>>;
}

export async function closingFunds(node: Lnd): Promise<ClosingFunds> {
  const [channels, balance] = await Promise.all([
    channelsOf(node),
    timed(node, 'tell the balance of its wallet', 'safe', () =>
      unary<Balance>(node, (options, done) => node.lnd.default.walletBalance({}, options, done)),
    ),
  ]);
  return fundsOf(channels, balance);
}

/** lnd's sweeper takes coins of its default account alone. */
export function fundsOf(channels: readonly Channel[], { confirmed_balance: all, account_balance: by }: Balance) {
  const holding = channels.filter(({ pending_htlcs: htlcs }) => htlcs.length > 0);
  return {
    coins: sats(BigInt(by?.['default']?.confirmed_balance ?? all)),
    channels: holding.length,
    htlcs: holding.flatMap(({ pending_htlcs: htlcs }) => htlcs.map(({ amount }) => sats(BigInt(amount)))),
  };
}
