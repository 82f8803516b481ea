import { minute, seconds, type Clocks, type Unix } from '../../../../domain/time.ts';

/** A lock whose block is gone may come again by the same transaction. */
export const mayComeAgain = seconds(10 * minute);

/** A wall clock that was set back must not make a pause of minutes one of days. */
export function hasRested(notBefore: Unix | null, { wall }: Clocks): boolean {
  return notBefore === null || wall >= notBefore || wall + mayComeAgain < notBefore;
}
