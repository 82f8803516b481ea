import { refuse, type Refusal } from '../domain/errors.ts';

/** Where a page of swaps ends. New ones come above it, so that what follows stays what it was. */
interface Place {
  readonly createdAt: number;
  readonly id: string;
}

export const invalidCursor = refuse('invalid', 'cursor is not valid: leave it out to start at the first page.');

export function readCursor(cursor: string): Place | Refusal {
  const [createdAt, id, ...more] = cursor.split('.');
  if (createdAt === undefined || id === undefined || more.length > 0 || !/^\d{1,12}$/.test(createdAt))
    return invalidCursor;
  return { createdAt: Number(createdAt), id };
}

/** What is shown of rows that were read with one more than that, and the cursor of what follows. */
export function pageOf<P extends Place>(
  rows: readonly P[],
  limit: number,
): { page: readonly P[]; next: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next: rows.length > limit && last !== undefined ? `${last.createdAt}.${last.id}` : null };
}
