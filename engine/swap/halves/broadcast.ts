import { sumOf } from '../../domain/money.ts';
import type { Outpoint } from '../../domain/outpoint.ts';
import type { OnlyIf } from '../../legs/only-if.ts';
import type { WalletCoin } from '../../legs/onchain/wallet-coin.ts';
import type { SavedSend } from '../../legs/onchain/wallet-port.ts';
import type { Effect, EventOf } from '../machine.ts';

/**
 * Prepared and saved: from here on it is kept on the chain. `onlyIf`: judged once more before it is sent for the first
 * time.
 */
export function broadcastEffect(coin: Outpoint, event: EventOf<'onchain.prepared'>, onlyIf?: OnlyIf): Effect {
  const { leg, txid, amount, rate, capped, raiseFrom, deadline, yieldsTo, funding, height } = event;
  return {
    do: 'onchain.broadcast',
    leg,
    txid,
    spends: coin,
    amount,
    rate,
    capped,
    ...(raiseFrom === undefined ? {} : { raiseFrom }),
    ...(deadline === undefined ? {} : { deadline }),
    ...(yieldsTo === undefined ? {} : { yieldsTo }),
    ...(funding === undefined ? {} : { funding }),
    since: height,
    ...(onlyIf === undefined ? {} : { onlyIf }),
  };
}

/** A payment out of our wallet, kept on the chain at the fee that it has. */
export function paymentEffect(payment: SavedSend, since: number) {
  const { txid, coins, rate } = payment;
  const { outpoint: spends } = firstCoinOf(payment);
  const amount = sumOf(coins);
  return { do: 'onchain.broadcast', leg: 'bitcoin', txid, spends, amount, rate, capped: true, since } as const;
}

export function firstCoinOf({ coins: [first] }: SavedSend): WalletCoin {
  if (first === undefined) throw new RangeError('a payment spends at least one coin');
  return first;
}
