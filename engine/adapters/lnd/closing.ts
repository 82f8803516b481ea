import { asSha256 } from '../../domain/hash.ts';
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
export function fundsOf(
  channels: readonly Channel[],
  { confirmed_balance: all, account_balance: by }: Balance,
): ClosingFunds {
  const htlcs = channels.flatMap(({ pending_htlcs: pending }) => pending);
  const theirs = channels.filter((channel) => !channel.initiator && (holds(channel) || carries(channel)));
  return {
    coins: sats(BigInt(by?.['default']?.confirmed_balance ?? all)),
    channels: channels.filter(holds).length,
    htlcs: htlcs.map(({ amount }) => sats(BigInt(amount))),
    hashes: htlcs.map(({ hash_lock: hash }) => asSha256(Uint8Array.from(hash))),
    theirs: theirs.map((channel) => ({ perKw: Number(channel.fee_per_kw), holds: holds(channel) })),
  };
}

function holds({ pending_htlcs: htlcs }: Channel): boolean {
  return htlcs.length > 0;
}

/** Whether a payment of ours may go over it. */
function carries({ active, local_balance: ours, local_constraints: { chan_reserve_sat: reserve } }: Channel): boolean {
  return active && BigInt(ours) > BigInt(reserve);
}
