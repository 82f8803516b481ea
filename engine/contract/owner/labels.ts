import { z } from 'zod';
import { optional, request } from '../field.ts';
import { text } from '../scalars.ts';
import { words } from '../wire.ts';

/** What the owner calls a swap. It is kept apart from the swap, and nothing that moves money reads it. */
export const labelFields = {
  label: words("The owner's name for it").nullable(),
  note: words("The owner's note on it").nullable(),
};

export const swapLabel = z.object(labelFields).meta({ id: 'SwapLabel', description: "The owner's words for a swap" });
export type SwapLabel = z.infer<typeof swapLabel>;

export const longestLabel = 80;
export const longestNote = 2_000;

/** POST /owner/swaps/{id}/label. */
export const swapLabelBody = request(
  {
    label: optional(text('label', 'a name for the swap; left out for none', longestLabel)),
    note: optional(text('note', 'a note on the swap; left out for none', longestNote)),
  },
  (wire): SwapLabel => ({ label: worded(wire.label), note: worded(wire.note) }),
);

function worded(given: string | undefined): string | null {
  const trimmed = given?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
}
