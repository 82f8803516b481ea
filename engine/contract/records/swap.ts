import { z } from 'zod';
import { directionNames, wireDirections, type DirectionName } from '../../domain/chain.ts';
import { directionContracts, type Records } from '../directions/directions.ts';
import { count, flag } from '../wire.ts';

const readAs = (name: DirectionName) =>
  z.intersection(
    directionContracts[name].route.reply,
    z.object({ direction: z.literal(wireDirections[name]).meta({ description: 'Direction of the swap' }) }),
  );

/** A swap read by id: the record of its creation as it stands now, and its direction (facts/clients.md 7). */
export type SwapRecord = {
  [D in DirectionName]: Records[D] & { readonly direction: (typeof wireDirections)[D] };
}[DirectionName];
export const swapRecord = z
  .union(directionNames.map(readAs))
  .meta({ id: 'SwapRecord', description: 'A swap with its direction' }) as unknown as z.ZodType<SwapRecord>;

/** A swap found by recovery, with the index of the client's key. */
const recoveredSwap = z
  .intersection(swapRecord, z.object({ index: count("Index of the client's key") }))
  .meta({ id: 'RecoveredSwap', description: 'A swap that belongs to a key of the client' });
export type RecoveredSwap = z.infer<typeof recoveredSwap>;

export const recovery = z.object({
  swaps: z.array(recoveredSwap),
  highest_index: count('Highest index that has a swap'),
  next_index: count('First index that is free'),
  scanned_until: count('Last index that was looked at'),
  complete: flag('False when more indices must be asked for, from scanned_until + 1'),
});
export type Recovery = z.infer<typeof recovery>;
