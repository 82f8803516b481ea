import type { Outpoint } from '../../domain/outpoint.ts';
import type { OnlyIf } from '../../legs/only-if.ts';
import type { Effect, Event } from '../machine.ts';

/**
 * Prepared and saved: from here on it is kept on the chain. `onlyIf`: judged once more before it is sent for the first
 * time.
 */
export function broadcastEffect(
  coin: Outpoint,
  { txid, amount, rate, capped, raiseFrom, deadline, yieldsTo, funding, height }: Event & { is: 'onchain.prepared' },
  onlyIf?: OnlyIf,
): Effect {
  return {
    do: 'onchain.broadcast',
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
