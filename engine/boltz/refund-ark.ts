import { z } from 'zod';
import { fromBase64, toBase64 } from '../contract/base64.ts';
import { isRefusal, refuse } from '../domain/errors.ts';
import { collabRefund } from '../service/refund/refunds.ts';
import type { DoorContext } from './context.ts';
import { read } from './fields.ts';
import type { Kind } from './pair.ts';
import { findSwap } from './swap.ts';
import { givenUp } from './words.ts';

/** Characters of a PSBT of one coin, at most. */
const longest = 12_000;

const psbt = z
  .string()
  .max(longest)
  .transform((text, issues) => {
    const bytes = fromBase64(text);
    if (bytes !== null) return bytes;
    issues.addIssue({ code: 'custom', message: 'it is no PSBT in base64' });
    return z.NEVER;
  });

const body = z.looseObject({ transaction: psbt, checkpoint: psbt });

/**
 * POST swap/{kind}/{id}/refund/ark: our half of the client's refund of one coin on Arkade, which it signs after us.
 * Whoever knows the id may ask, so only where nothing is given for the coin any more.
 */
export async function refundArk(door: DoorContext, kind: Kind, id: string, given: unknown) {
  const swap = findSwap(door, id, kind);
  if (isRefusal(swap)) return swap;
  const { row } = swap.entry;
  if (swap.pair.from !== 'ARK' || !givenUp.has(row.status))
    return refuse('forbidden', `the swap is not eligible for a cooperative refund (${row.status})`);
  const request = read(body, given);
  if (isRefusal(request)) return request;
  const answer = await collabRefund(
    door.context,
    row.id,
    { arkTx: request.transaction, checkpoints: [request.checkpoint] },
    'after',
  );
  if (isRefusal(answer)) return answer;
  const [checkpoint = new Uint8Array()] = answer.checkpoints;
  return { transaction: toBase64(answer.arkTx), checkpoint: toBase64(checkpoint) };
}
