import { PortFailure } from '../../../domain/errors.ts';
import { noSats } from '../../../domain/money.ts';
import { failedOnArkade } from '../../../legs/arkade/failures.ts';
import type { EffectOf } from '../act.ts';
import type { ArkadeContext } from './context.ts';
import { arkadeOf } from '../../ports.ts';
import { NotYet } from '../../not-yet.ts';
import { refundInDoubt } from '../refund-in-doubt.ts';
import { answerPrepared } from './prepared.ts';

/**
 * How often a lock waits for coins in an idle wallet, with pauses that grow: three seconds, for change that is about to
 * be listed.
 */
const waitsForCoins = 4;
/** While other locks are on their way their change comes back: five minutes. */
const waitsForChange = 60;

/** Chooses wallet coins and signs the lock; nothing is sent before the commit that reserves them. */
export async function prepareLock(effect: EffectOf<'vhtlc.lock'>, context: ArkadeContext): Promise<void> {
  const { ports, store, row, answer, alone, unpaid } = context;
  if (effect.ownScript === true) {
    const coins = await arkadeOf(ports).coins([effect.script]);
    if (coins.some(({ amount }) => amount === effect.amount)) {
      answer({ is: 'vhtlc.seen', coins: coins.map((coin) => ({ ...coin, spend: null })) });
      return;
    }
  }
  const inDoubt = refundInDoubt(store, row.subject);
  if (inDoubt !== null)
    return answer({ is: 'vhtlc.refused', purpose: 'lock', txid: null, why: 'refused', reason: inDoubt });
  // The lock itself is free; what its refund costs through a batch, once its coin expired, is not.
  const full = unpaid.full(row.subject, 'arkade', noSats);
  if (full !== null) return answer({ is: 'vhtlc.refused', purpose: 'lock', txid: null, why: 'refused', reason: full });
  await alone('arkade', async () => {
    const reserved = store.transactions.reservedCoins();
    try {
      const prepared = await arkadeOf(ports).prepareFund({
        script: effect.script,
        amount: effect.amount,
        minExpiry: effect.minExpiry,
        reserved,
      });
      await answerPrepared(context, { purpose: 'lock' }, prepared);
    } catch (cause) {
      if (!(cause instanceof PortFailure)) throw cause;
      // Change of locks on their way comes back within a second; a wallet that stays short is too poor, and says so
      // while the client's money can still go back at once (facts/faults.md 44).
      const poor = failedOnArkade(cause, 'no-coins');
      if (poor && row.attempts < (reserved.length > 0 ? waitsForChange : waitsForCoins))
        throw new NotYet(Math.min(5, 0.2 * 2 ** row.attempts), cause.message);
      if (!poor && cause.retry !== 'never') throw cause;
      answer({ is: 'vhtlc.refused', purpose: 'lock', txid: null, why: 'refused', reason: cause.message });
    }
  });
}
