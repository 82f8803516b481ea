import type { Database } from 'better-sqlite3';

/** Rows that are gone through before everybody else has a turn: a millisecond or two on an idle machine. */
const perTurn = 100;

/** The swaps of one turn that have it, and where the next turn starts; null after the last one. */
export interface WordTurn {
  readonly ids: readonly string[];
  readonly next: number | null;
}

interface Turn {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly hex: string;
  readonly bytes: string | null;
}

/**
 * The base64 that bytes with this hex begin with, as the codec keeps them; null for a text that is no hex. Three bytes
 * are four characters, and what is left over of them is not compared.
 */
function base64Of(beginning: string): string | null {
  if (!/^[0-9a-f]+$/i.test(beginning)) return null;
  return Buffer.from(beginning.slice(0, beginning.length - (beginning.length % 6)), 'hex').toString('base64');
}

/**
 * Swaps in whose terms or progress a text begins with a word of letters and digits, or bytes with its hex. There is no
 * index: only the owner looks, and every create would pay for one. What was trimmed is packed, and is passed by.
 */
export function createWordScan(db: Database) {
  const end = db.prepare<[], { last: number | null }>(`SELECT max(rowid) AS last FROM swaps`);
  const slice = db.prepare<[Turn], { id: string }>(
    `SELECT id FROM swaps WHERE rowid > @from AND rowid <= @to AND trimmed = 0 AND (
       terms LIKE @text OR progress LIKE @text OR terms LIKE @hex OR progress LIKE @hex
       OR terms GLOB @bytes OR progress GLOB @bytes)`,
  );
  return (beginning: string, from: number): WordTurn => {
    const to = from + perTurn;
    const base64 = base64Of(beginning);
    const rows = slice.all({
      from,
      to,
      text: `%"${beginning}%`,
      hex: `%"0x${beginning}%`,
      bytes: base64 === null ? null : `*{"$b":"${base64}*`,
    });
    return { ids: rows.map(({ id }) => id), next: to < (end.get()?.last ?? 0) ? to : null };
  };
}
