import { outpointKey } from '../../../domain/outpoint.ts';
import type { StillFunded } from '../../../legs/onchain/conditions.ts';
import { safeToLockForCoin, type Safety } from '../../../legs/safety.ts';
import { bitcoinOf } from '../../ports.ts';
import type { EffectContext } from '../context.ts';

/** Whether the client's coin on the chain still lies there, mined and unspent, for long enough to lock a VHTLC against it. */
export async function judgeFunded(facts: StillFunded, { ports, clock }: EffectContext): Promise<Safety> {
  const bitcoin = bitcoinOf(ports);
  const { script, outpoint, sourceAmount, refundLocktime, lockRefundLocktime, policy } = facts;
  const listed = (await bitcoin.coins([script])).find((one) => outpointKey(one.outpoint) === outpointKey(outpoint));
  // One source that goes on listing it is not believed against another that shows its spend (facts/faults.md 49).
  const coin =
    listed === undefined || listed.height === null || (await bitcoin.spend(outpoint)) !== null ? null : listed;
  const safety = safeToLockForCoin({ coin, sourceAmount, refundLocktime, lockRefundLocktime }, clock.now(), policy);
  const doubt = bitcoin.disagreement();
  return safety !== null || doubt === null ? safety : { unsafe: 'wait', sentence: doubt };
}
