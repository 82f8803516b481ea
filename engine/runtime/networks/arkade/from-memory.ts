import { sameOutpoint } from '../../../domain/outpoint.ts';
import { arkadeOf } from '../../ports.ts';
import type { EffectOf, MemoryClaim } from '../act.ts';

/**
 * A claim that the operator accepted is finished with the very bytes that came back. One that shows a secret of our own
 * waits for its last look, and for a disk.
 */
export async function claimFromMemory(effect: EffectOf<'vhtlc.claim'>, claim: MemoryClaim): Promise<boolean> {
  if (effect.key.branch === 'taker') return false;
  const arkade = arkadeOf(claim.ports);
  if (claim.half === null) {
    const coin = (await arkade.coinsAt([effect.coin])).find(({ outpoint }) => sameOutpoint(outpoint, effect.coin));
    if (coin === undefined || coin.spent || coin.recoverable || coin.unrolled) return false;
    const { preimage } = claim;
    const prepared = await arkade.prepareClaim({ terms: effect.terms, key: effect.key, coins: [coin], preimage });
    const answer = await arkade.submit(prepared.bytes);
    if (answer.is === 'final') return true;
    if (answer.is !== 'accepted') return false;
    claim.half = answer.bytes;
  }
  await arkade.finalize(claim.half);
  return true;
}
