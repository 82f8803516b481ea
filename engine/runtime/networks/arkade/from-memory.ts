import { sameOutpoint } from '../../../domain/outpoint.ts';
import { arkadeOf } from '../../ports.ts';
import type { EffectOf, MemoryClaim } from '../act.ts';

/**
 * A claim that the operator accepted is finished with the very bytes that came back. One that shows a secret of our own
 * waits for its last look, and for a disk.
 */
export async function claimFromMemory(effect: EffectOf<'vhtlc.claim'>, claim: MemoryClaim): Promise<boolean> {
  if (effect.key.branch === 'taker') return false;
  if (claim.half !== null) return finished(claim, null);
  const arkade = arkadeOf(claim.ports);
  const coin = (await arkade.coinsAt([effect.coin])).find(({ outpoint }) => sameOutpoint(outpoint, effect.coin));
  if (coin === undefined || coin.recoverable || coin.unrolled) return false;
  const { preimage } = claim;
  const { txid, bytes } = await arkade.prepareClaim({ terms: effect.terms, key: effect.key, coins: [coin], preimage });
  // By this very claim: its answer was lost, or the process that sent it died (facts/faults.md 197).
  return coin.spent && coin.spentIn !== txid ? false : finished(claim, bytes);
}

/** What was signed before the disk failed, and has left us: whoever began to take it finishes (facts/faults.md 198). */
export async function finalizeFromMemory(
  { purpose, txid }: EffectOf<'vhtlc.finalize'>,
  claim: MemoryClaim,
): Promise<boolean> {
  return purpose === 'claim' && finished(claim, claim.store.transactions.bytes(txid));
}

/** Asked for once more, the operator gives its signatures again. */
async function finished(claim: MemoryClaim, bytes: Uint8Array | null): Promise<boolean> {
  const arkade = arkadeOf(claim.ports);
  if (claim.half === null) {
    const answer = bytes === null ? null : await arkade.submit(bytes);
    if (answer?.is === 'final') return true;
    if (answer?.is !== 'accepted') return false;
    claim.half = answer.bytes;
  }
  await arkade.finalize(claim.half);
  return true;
}
