import { refuse, type Refusal } from '../domain/errors.ts';
import type { Unamended } from '../service/refund/amend.ts';

/** Why nothing else is agreed to, in the words of this interface, which clients branch on. */
export const refusedSince: Readonly<Record<Unamended, Refusal>> = {
  signed: refuse('hash-used', 'a refund for this swap was signed already'),
  settled: refuse('forbidden', 'lockup transaction was not rejected because of the amount'),
  late: refuse('forbidden', 'time until expiry too short'),
};
