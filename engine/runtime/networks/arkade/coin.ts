import { sameBytes } from '../../../domain/hash.ts';
import { sameOutpoint, type Outpoint } from '../../../domain/outpoint.ts';
import { arkadeFailure, failedOnArkade } from '../../../legs/arkade/failures.ts';
import type { Purpose } from '../../../legs/arkade/effects.ts';
import type { RefusedFor } from '../../../legs/arkade/events.ts';
import type { ArkadePort } from '../../../legs/arkade/port.ts';
import type { Vtxo } from '../../../legs/arkade/vtxo.ts';
import { arkadeOf } from '../../ports.ts';
import type { CoinContext } from './context.ts';
import { isBrought, whyUnrolled } from './on-chain.ts';

/**
 * A coin as the operator tells it now, by its name: however many others lie at its script, they are nothing to it
 * (facts/faults.md 95). It was listed before: one that is missing is not believed to be gone.
 */
export async function coinNow(arkade: ArkadePort, script: Uint8Array, outpoint: Outpoint): Promise<Vtxo> {
  const coins = await arkade.coinsAt([outpoint]);
  const coin = coins.find((seen) => sameOutpoint(seen.outpoint, outpoint) && sameBytes(seen.script, script));
  if (coin === undefined)
    throw arkadeFailure('coin-missing', 'safe', 'the operator does not list the coin of the swap');
  return coin;
}

/**
 * The coin as it is now; answers the swap itself when no ordinary transaction can take it. `isByUs`: whether a
 * transaction of which no row tells spent it for us.
 */
export async function spendable(
  effect: { script: Uint8Array; coin: Outpoint },
  purpose: Purpose,
  { ports, store, row, answer }: CoinContext,
  isByUs: (coin: Vtxo) => Promise<boolean> = async () => false,
): Promise<Vtxo | null> {
  const coin = await coinNow(arkadeOf(ports), effect.script, effect.coin);
  const refused = (why: RefusedFor, reason: string): void =>
    answer({ is: 'vhtlc.refused', purpose, txid: null, coin: effect.coin, why, reason });
  // Of one that lies on the chain it does not matter what the operator holds it for.
  if (coin.unrolled || (coin.spent && (await isBrought(effect.coin, { store, bitcoin: ports.bitcoin }))))
    answer({
      is: 'vhtlc.refused',
      purpose,
      txid: null,
      coin: effect.coin,
      ...(await whyUnrolled(effect.coin, ports.bitcoin)),
    });
  else if (coin.spent && coin.spentIn === null && coin.settledBy !== null && coin.recoverable)
    refused('recoverable', 'the coin expired, and a batch took it');
  // By what we sent and gave up when the operator denied it, or sent while no disk took it (facts/faults.md 197): made
  // again it is the same transaction, which goes on.
  else if (
    coin.spent &&
    coin.spentIn !== null &&
    (store.transactions.byId(coin.spentIn)?.subject === row.subject || (await isByUs(coin)))
  )
    return coin;
  else if (coin.spent) refused('spent', 'the coin is spent');
  else if (coin.recoverable) refused('recoverable', 'the coin expired');
  else return coin;
  return null;
}

export function isUnrolled(cause: unknown): boolean {
  return failedOnArkade(cause, 'unrolled');
}
