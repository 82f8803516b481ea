import type { Hash160 } from '../../domain/hash.ts';
import type { SwapStatus } from '../../domain/status.ts';

interface At {
  readonly at: string;
}

const noHash = new Uint8Array(20) as Hash160;

/**
 * What the jobs of a wallet have in common: no client waits for them, no hash hangs on them, their outbox alone moves
 * them, and what they spend is no liquidity that is promised to clients.
 */
export const jobOfWallet = {
  watches: () => [],
  deadline: () => null,
  reserves: () => false,
  untold: () => false,
  hash160: () => noHash,
};

/** The status of a job that sends. */
export function sendingStatus({ at }: At): SwapStatus {
  return at === 'sent' ? 'serverredeemed' : at === 'failed' ? 'expired' : 'pending';
}

/** A job that chooses what it sends, and sends it. */
export const sendingJob = {
  ...jobOfWallet,
  status: sendingStatus,
  open: (_: unknown, { at }: At) => at === 'choosing' || at === 'sending',
};

/** Whom it waits for: what was sent is over once it is buried. */
export function untilDeep({ at }: At): string {
  if (at === 'choosing') return 'we send';
  return at === 'sending' ? 'the miners: it waits until it is six blocks deep' : 'nothing: it is over';
}
