import { asSha256, type Sha256 } from '../../domain/hash.ts';
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
  const theirs = channels.filter((channel) => !channel.initiator && holds(channel));
  return {
    coins: sats(BigInt(by?.['default']?.confirmed_balance ?? all)),
    channels: channels.filter(holds).length,
    htlcs: htlcs.map(({ amount }) => sats(BigInt(amount))),
    hashes: htlcs.map(hashOf),
    theirs: theirs.map(({ fee_per_kw: perKw, pending_htlcs: held }) => ({
      perKw: Number(perKw),
      hashes: held.map(hashOf),
    })),
  };
}

function holds({ pending_htlcs: htlcs }: Channel): boolean {
  return htlcs.length > 0;
}

function hashOf({ hash_lock: hash }: Channel['pending_htlcs'][number]): Sha256 {
  return asSha256(Uint8Array.from(hash));
}
