import type { EvmNetwork } from '../../../domain/chain.ts';
import { sameBytes } from '../../../domain/hash.ts';
import type { StillDeposited, StillEscrowed, StillOffered } from '../../../legs/evm/conditions.ts';
import type { EvmPort } from '../../../legs/evm/port.ts';
import { swapKey } from '../../../legs/evm/swap-key.ts';
import { safeToFundForLock } from '../../../legs/safety/lock.ts';
import { safeToPayForLock } from '../../../legs/safety/pay.ts';
import { safeToRevealForLock } from '../../../legs/safety/reveal.ts';
import type { Safety } from '../../../legs/safety/verdict.ts';
import { lockEnd } from '../../../legs/evm/timelocks.ts';
import type { Clock } from '../../clock.ts';
import { bitcoinOf, evmOf, type Ports } from '../../ports.ts';
import { notClaimableAlone } from './own-claim.ts';
import type { RulesOf } from './rules.ts';
import type { ShownClaims } from './shown-claims.ts';

interface Asks {
  readonly ports: Pick<Ports, EvmNetwork | 'bitcoin'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Whether the client's lock still stands, deep and for long enough to pay for it. */
export async function judgeDeposit(
  facts: StillDeposited,
  { ports, clock }: Asks,
  maxTimeoutHeight: number,
): Promise<Safety> {
  const port = evmOf(ports, facts.network);
  const depth = await depthOf(port, facts);
  const { network, confirmations, finalCltv, invoiceExpiresAt, policy } = facts;
  const refundLocktime = lockEnd(facts);
  const safety = safeToPayForLock(
    { network, depth, confirmations, refundLocktime, maxTimeoutHeight, finalCltv, invoiceExpiresAt },
    clock.now(),
    policy,
  );
  const doubt = port.disagreement();
  return safety !== null || doubt === null ? safety : { unsafe: 'wait', sentence: doubt };
}

/** Whether the client's lock still stands, deep and for long enough to fund an HTLC against it. */
export async function judgeEscrow(facts: StillEscrowed, { ports, clock }: Asks): Promise<Safety> {
  const port = evmOf(ports, facts.network);
  const depth = await depthOf(port, facts);
  const { network, confirmations, htlcRefundLocktime, policy } = facts;
  const timelock = lockEnd(facts);
  const safety = safeToFundForLock(
    { network, depth, confirmations, timelock, htlcRefundLocktime },
    clock.now(),
    policy,
  );
  const doubt = port.disagreement() ?? bitcoinOf(ports).disagreement();
  return safety !== null || doubt === null ? safety : { unsafe: 'wait', sentence: doubt };
}

/**
 * Whether the provider's lock still stands, deep and for long enough to show our secret for it, and whether we could
 * claim it alone.
 */
export async function judgeOffer(
  facts: StillOffered,
  { ports, clock, shownClaims, evm }: Asks & { readonly shownClaims: ShownClaims; readonly evm: RulesOf },
): Promise<Safety> {
  const port = evmOf(ports, facts.network);
  const depth = await depthOf(port, facts);
  const { network, lock, confirmations, value, policy } = facts;
  const timelock = lockEnd(facts);
  const safety = safeToRevealForLock({ network, depth, confirmations, timelock }, clock.now(), policy);
  if (safety !== null) return safety;
  const beside = (): number => shownClaims.beside(network, lock);
  const alone = await notClaimableAlone(port, { value, beside, rules: evm(network) });
  const doubt = port.disagreement() ?? alone;
  if (doubt !== null) return { unsafe: 'wait', sentence: doubt };
  shownClaims.add(lock);
  return null;
}

/**
 * Blocks that stand on the lock, by the transaction that made it and by the contract itself: a log alone may be of a
 * block that is gone, and what stands may have been taken since. Null where either does not show it.
 */
async function depthOf(
  port: EvmPort,
  { htlc, lock, txid, agreed }: StillDeposited | StillEscrowed | StillOffered,
): Promise<number | null> {
  const receipt = await port.receipt(txid, { agreed });
  if (receipt === null || !receipt.ok) return null;
  const key = swapKey(lock);
  const made = receipt.events.some(
    (event) => event.what.is === 'created' && sameBytes(event.htlc, htlc) && sameBytes(event.key, key),
  );
  if (!made || !(await port.isActive(htlc, lock, { agreed }))) return null;
  const { height } = await port.tip();
  return Math.max(0, height - receipt.height + 1);
}
