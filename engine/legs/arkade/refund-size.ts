import type { CollabRefund, DelegateRefund } from './refund-request.ts';

/**
 * What a refund may cost to look at, judged by counts and bytes before anything of it is parsed: a transaction of a
 * thousand outputs, or a megabyte of fields that nobody reads, is tens of milliseconds of work, and a stranger sends
 * it.
 */

/** Coins of one refund. Each is two signatures to verify and two to make; more go into another request. */
export const mostRefundCoins = 24;

/**
 * An input with its coin, leaf, control block, script tree and signatures takes 1,300 bytes; twice that with many keys.
 */
const bytesEach = 4_096;

/** Why the refund is not even read, or null. */
export function oversizedCollab({ arkTx, checkpoints }: CollabRefund): string | null {
  return (
    tooMany(checkpoints.length, 'checkpoint transactions') ??
    tooLong(arkTx, 'the Arkade transaction', checkpoints.length) ??
    longOne(checkpoints, 'checkpoint')
  );
}

/** The same for a delegate refund; its proof may take coins that need no forfeit, of the `coins` that the swap has. */
export function oversizedDelegate({ intentProof, forfeits }: DelegateRefund, coins = mostRefundCoins): string | null {
  return (
    tooMany(forfeits.length, 'forfeits') ??
    tooLong(intentProof, 'the intent proof', Math.min(coins, mostRefundCoins) + 1) ??
    longOne(forfeits, 'forfeit')
  );
}

/** Also asked once the inputs are known. */
export function tooMany(count: number, what: string): string | null {
  return count > mostRefundCoins
    ? `it has ${count} ${what} and at most ${mostRefundCoins} are signed at once: refund the coins in several requests`
    : null;
}

function tooLong(bytes: Uint8Array, what: string, inputs: number): string | null {
  const most = bytesEach * (inputs + 1);
  return bytes.length > most ? `${what} has ${bytes.length} bytes and needs at most ${most}` : null;
}

function longOne(psbts: readonly Uint8Array[], what: string): string | null {
  for (const [n, bytes] of psbts.entries()) {
    const long = tooLong(bytes, `${what} ${n}`, 0);
    if (long !== null) return long;
  }
  return null;
}
