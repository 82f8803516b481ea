import type { Sats } from '../../domain/money.ts';
import type { ReadClocks, Unix } from '../../domain/time.ts';
import type { Vtxo } from '../arkade/vtxo.ts';
import { latestByChain } from '../timelocks.ts';
import type { TimeoutPolicy } from '../timeout-policy.ts';
import { never, type Safety, wait } from './verdict.ts';

/** What a VHTLC coin must show before anything is given against it. */
export type CoinFacts = Pick<Vtxo, 'amount' | 'expiresAt' | 'recoverable' | 'unrolled' | 'spent'>;

/**
 * A coin of the other party at its script: there, whole, and timelocked until `horizon`. Past its expiry a coin goes to
 * its sender without any timelock (facts/arkade.md 26).
 */
export function coinHolds(coin: CoinFacts, least: Sats, horizon: number): Safety {
  if (coin.spent) return never('The coin is already spent.');
  if (coin.recoverable) return never('The coin is past its expiry: its timelocks protect nobody.');
  if (coin.unrolled) return never('The coin has left the operator for the chain.');
  if (coin.amount < least) return never(`The coin holds ${coin.amount} sats; ${least} were agreed.`);
  if (coin.expiresAt < horizon)
    return never(`The coin expires at ${coin.expiresAt}, before ${horizon}, when it may still be needed.`);
  return null;
}

/**
 * A lock of the other party on an EVM chain, in blocks of that chain. One that is not seen, or not deep enough, may
 * still be: nothing but the time says that it never will. `doubt`: why the chain cannot be asked. Wrong: a
 * reorganisation takes the lock away after we gave against it.
 */
export function deepEnough({
  depth,
  confirmations,
  doubt,
}: {
  depth: number | null;
  confirmations: number;
  doubt?: string | undefined;
}): Safety {
  if (depth === null) return wait('The lock is not seen on its chain now.');
  if (depth >= confirmations) return null;
  return wait(doubt ?? `The lock is buried under ${depth} blocks; ${confirmations} are needed.`);
}

/**
 * What the client must have left, in seconds, to claim a leg of ours before we may take it back by median time past.
 * Wrong: it pays for what it cannot claim.
 */
export function timeToClaim(refundLocktime: Unix, clocks: ReadClocks, policy: TimeoutPolicy): Safety {
  const left = refundLocktime - latestByChain(clocks.bitcoin, policy);
  return left < policy.leastClaimTime
    ? never(`The client would have ${Math.max(0, left)} seconds to claim; ${policy.leastClaimTime} are needed.`)
    : null;
}
