import { nativeCoin } from '../../../domain/evm.ts';
import type { EvmPort } from '../../../legs/evm/port.ts';
import { gasOf } from '../../../quote/gas.ts';
import { priceOf } from './gas.ts';

/** Gas may cost so many times more by the time that it is needed. */
const spare = 2n;

/**
 * Wei that our account lacks to claim a lock of a provider's by itself; 0 where it has them. Who shows the secret
 * without them hangs on the provider's good will: it could keep the secret, and take its lock back at the timelock.
 * `beside`: claims that it may have to make before this one, by now (facts/faults.md 141).
 */
export async function lackingToClaim(
  port: Pick<EvmPort, 'account' | 'balance' | 'gasFees'>,
  beside: () => number,
): Promise<bigint> {
  const [held, fees] = await Promise.all([port.balance(nativeCoin, port.account()), port.gasFees()]);
  const needed = gasOf.takerClaim * priceOf(fees) * spare * BigInt(1 + beside());
  return held < needed ? needed - held : 0n;
}
