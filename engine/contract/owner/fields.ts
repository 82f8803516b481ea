import { z } from 'zod';
import { ownerDirections, type DirectionName, type WalletJob } from '../../domain/chain.ts';
import { optional } from '../field.ts';
import { text } from '../scalars.ts';
import { words } from '../wire.ts';

/** What the owner's swaps are listed by: the directions, and the jobs of the wallets. */
export const rowNames = Object.keys(ownerDirections) as (DirectionName | WalletJob)[];
export const direction = z
  .enum(rowNames.map((name) => ownerDirections[name]))
  .meta({ description: 'Direction of a swap, or job of a wallet' });
export const at = words('Internal state of the swap');

export const cursor = optional(text('cursor', 'the next_cursor of the page before', 200));
