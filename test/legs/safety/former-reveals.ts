// How long a secret could be shown, as it was said for each network.
import type { EvmNetwork } from '../../../engine/domain/chain.ts';
import type { Sats } from '../../../engine/domain/money.ts';
import { type Clocks, furthest, type Unix } from '../../../engine/domain/time.ts';
import type { CoinFacts } from '../../../engine/legs/safety/backing.ts';
import { never, type Safety, unread, wait } from '../../../engine/legs/safety/verdict.ts';
import type { TimeoutPolicy } from '../../../engine/legs/timeout-policy.ts';
import { coinHolds, deepEnough, evmTime, latestByChain, unlessDoubted } from './former-comparisons.ts';

const revealDepth = 2;

function revealMargin(policy: TimeoutPolicy): number {
  return Math.floor(Math.min(policy.margin, policy.leastClaimTime) / 2);
}

function revealUntil(refundLocktime: Unix, policy: TimeoutPolicy): number {
  return Math.max(0, refundLocktime - revealMargin(policy) - policy.mtpLag);
}

function claimLine(refundLocktime: Unix, { mtpLag, margin }: TimeoutPolicy): number {
  return Math.max(0, refundLocktime - mtpLag - margin);
}

/**
 * Publishing a preimage to claim a VHTLC that the other party can refund at its locktime. Wrong: the secret is out, the
 * claim loses the race, and both legs are the other party's.
 */
export function safeToReveal(
  claim: { coin: CoinFacts; targetAmount: Sats; refundLocktime: Unix },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  const { wall, bitcoin } = clocks;
  const { mtp } = bitcoin;
  if (mtp === null) return unread;
  const now = latestByChain({ ...bitcoin, mtp }, policy);
  const needed = revealMargin(policy);
  // A coin's expiry is judged by the operator's wall clock: ours or the chain's, whichever leaves less.
  const coin = coinHolds(claim.coin, claim.targetAmount, Math.max(wall, now) + needed);
  if (coin !== null) return coin;
  const left = claim.refundLocktime - now;
  if (Math.max(mtp, bitcoin.ahead?.mtp ?? 0) > revealUntil(claim.refundLocktime, policy))
    return never(`The refund may open in ${Math.max(0, left)} seconds; a claim needs ${needed}.`);
  return null;
}

/**
 * Publishing a preimage to claim a lock on an EVM chain that the provider can take back from its timelock on. Wrong:
 * the secret is out, the claim comes too late or finds nothing, and both legs are the provider's.
 */
export function safeToRevealForLock(
  claim: {
    network: EvmNetwork;
    /** Blocks that stand on the lock, its own counted; null unless the chain said just now that it stands. */
    depth: number | null;
    /** Blocks that it must be buried under. */
    confirmations: number;
    /** Why the chain cannot be asked for more of them. */
    doubt?: string | undefined;
    /** Of the provider's refund of the lock, by that chain's clock. */
    timelock: Unix;
  },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  const time = evmTime(clocks, claim.network);
  if (time === null) return wait('The clock of the chain with the lock has not been read yet.');
  const left = claim.timelock - time;
  const needed = revealMargin(policy);
  if (left < needed)
    return never(`The provider may take its lock back in ${Math.max(0, left)} seconds; a claim needs ${needed}.`);
  const deep = deepEnough(claim);
  if (deep !== null) return deep;
  const doubt = clocks[claim.network]?.doubt;
  return doubt === undefined ? null : wait(doubt);
}

/**
 * Publishing a preimage to claim a coin on the Bitcoin chain that the provider can take back once median time past is
 * above its locktime. Wrong: the secret is out, the claim is mined too late or its coin is gone, and both legs are the
 * provider's.
 */
export function safeToRevealForCoin(
  claim: {
    /** Null unless the chain said just now that it lies there unspent; its height is null while it is in no block. */
    coin: { amount: Sats; height: number | null } | null;
    /** Of the tip that was looked at. */
    height: number;
    targetAmount: Sats;
    /** Of the provider's refund, by median time past. */
    refundLocktime: Unix;
  },
  clocks: Clocks,
  policy: TimeoutPolicy,
): Safety {
  const { mtp } = furthest(clocks.bitcoin);
  if (mtp === null) return unread;
  const { coin, refundLocktime, targetAmount } = claim;
  const line = claimLine(refundLocktime, policy);
  if (mtp > line)
    return never(`A claim must begin before median time past is ${line} to be mined in time; it is ${mtp}.`);
  if (coin === null) return wait('The coin is not seen unspent on the chain now.');
  if (coin.amount < targetAmount) return never(`The coin holds ${coin.amount} sats; ${targetAmount} were agreed.`);
  const depth = coin.height === null ? 0 : Math.max(0, claim.height - coin.height + 1);
  if (depth < revealDepth) return wait(`The coin has ${depth} confirmations; ${revealDepth} are needed.`);
  return unlessDoubted(clocks);
}
