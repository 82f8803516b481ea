import { isAhead, minute, seconds, type Clocks, type Unix } from '../../../../domain/time.ts';

/** A lock whose block is gone may come again by the same transaction. */
export const mayComeAgain = seconds(10 * minute);

export function hasRested(notBefore: Unix | null, { wall }: Clocks): boolean {
  return notBefore === null || !isAhead(notBefore, mayComeAgain, wall);
}
