import type { Outpoint } from '../../domain/outpoint.ts';
import type { OnlyIf } from '../../legs/only-if.ts';
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
