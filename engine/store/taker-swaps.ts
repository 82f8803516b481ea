import type { Database } from 'better-sqlite3';
import type { TakerListing, TakerOutcome } from '../domain/taker.ts';
import type { SwapRow } from './swaps.ts';

/** The rule by which swaps are listed. Another number, and every swap is listed anew at the next start. */
const form = 1;

/**
 * So many hits are gone through by themselves; a text with more of them is so common that going through the list meets
 * it soon.
 */
const fewHits = 1_000;

/** What a search is for: words that begin with a text, an amount where it could be one, or a label that has it. */
export interface TakerSearch {
  readonly beginning: string;
  readonly amount: string | null;
  /** Swaps in whose label or note the text is. */
  readonly labelled?: readonly string[];
}

export interface TakerFilter {
  /** Null for any, `open` for those that have none yet. */
  readonly outcome: TakerOutcome | 'open' | null;
  /** Only these; null for any. */
  readonly ids: readonly string[] | null;
  readonly network: string | null;
  readonly search: TakerSearch | null;
  /** Created before this place, newest first. */
  readonly before: { readonly createdAt: number; readonly id: string } | null;
  readonly limit: number;
}

export interface TakerPlace {
  readonly id: string;
  readonly createdAt: number;
}

/** Past every text that begins alike: the last character that there is stands behind it. */
function past(beginning: string): string {
  return `${beginning}\u{10ffff}`;
}

/** The index over the owner's own swaps: it says which are on a page, and the swaps themselves say the rest. */
export function takerSwapsTable(db: Database) {
  const put = db.prepare<unknown[], { number: number }>(
    `INSERT INTO taker_swaps (id, version, form, created_at, outcome, give, get) VALUES (?, ?, ${form}, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET version = excluded.version, form = excluded.form, outcome = excluded.outcome, give = excluded.give, get = excluded.get
     RETURNING number`,
  );
  const forget = db.prepare(`DELETE FROM taker_words WHERE number = ?`);
  const putWord = db.prepare(`INSERT OR IGNORE INTO taker_words (number, word) VALUES (?, ?)`);
  const stale = db.prepare<[string, number], { id: string }>(
    `SELECT swaps.id FROM swaps LEFT JOIN taker_swaps AS listed ON listed.id = swaps.id AND listed.version = swaps.version AND listed.form = ${form}
     WHERE substr(swaps.machine, 1, 5) = 'take-' AND listed.id IS NULL AND swaps.id > ? ORDER BY swaps.id LIMIT ?`,
  );
  const counts = db.prepare<[], { outcome: TakerOutcome | null; count: number }>(
    `SELECT outcome, count(*) AS count FROM taker_swaps GROUP BY outcome`,
  );
  const ended = db.prepare<[string], { id: string }>(`SELECT id FROM taker_swaps WHERE outcome = ?`);
  const open = db.prepare<[], { id: string }>(`SELECT id FROM taker_swaps WHERE outcome IS NULL`);

  const hits = db.prepare<[string, string, number, string | null, number], { id: string }>(
    `SELECT id FROM taker_swaps WHERE number IN (
       SELECT number FROM (SELECT DISTINCT number FROM taker_words WHERE word >= ? AND word < ? LIMIT ?)
       UNION SELECT number FROM (SELECT number FROM taker_words WHERE word = ? LIMIT ?))`,
  );

  return {
    /** In the commit that saves the row. */
    write({ id, version, createdAt }: SwapRow, { outcome, give, get, words }: TakerListing): void {
      const number = put.all(id, version, createdAt, outcome, give, get)[0]?.number;
      forget.run(number);
      for (const word of [id, ...words]) putWord.run(number, word);
    },
    /** Swaps that are not listed as they are now, by id. */
    staleAfter(id: string, most: number): string[] {
      return stale.all(id, most).map((row) => row.id);
    },
    counts(): { readonly outcome: TakerOutcome | null; readonly count: number }[] {
      return counts.all();
    },
    /** Those that go on. */
    openIds(): string[] {
      return open.all().map(({ id }) => id);
    },
    endedAs(outcome: TakerOutcome): string[] {
      return ended.all(outcome).map(({ id }) => id);
    },
    page({ outcome, ids, network, search, before, limit }: TakerFilter): TakerPlace[] {
      const where: string[] = ['1 = 1'];
      const values: (string | number | null)[] = [];
      function and(condition: string, ...given: (string | number | null)[]): void {
        where.push(condition);
        values.push(...given);
      }
      let within = ids;
      if (search !== null && within === null) {
        const few = hits.all(search.beginning, past(search.beginning), fewHits + 1, search.amount, fewHits + 1);
        const labelled = search.labelled ?? [];
        if (few.length <= fewHits) within = [...new Set([...few.map(({ id }) => id), ...labelled])];
      }
      // Its own order: from the few to the list.
      const from = within === null ? 'taker_swaps AS listed' : 'json_each(?) AS one CROSS JOIN taker_swaps AS listed';
      if (within !== null) and('listed.id = one.value');
      if (search !== null)
        and(
          '(EXISTS (SELECT 1 FROM taker_words WHERE taker_words.number = listed.number AND (word >= ? AND word < ? ' +
            'OR word = ?)) OR listed.id IN (SELECT value FROM json_each(?)))',
          search.beginning,
          past(search.beginning),
          search.amount,
          JSON.stringify(search.labelled ?? []),
        );
      if (outcome === 'open') and('outcome IS NULL');
      else if (outcome !== null) and('outcome = ?', outcome);
      if (network !== null) and('(give = ? OR get = ?)', network, network);
      if (before !== null) and('(created_at, listed.id) < (?, ?)', before.createdAt, before.id);
      return db
        .prepare<(string | number | null)[], TakerPlace>(
          `SELECT listed.id AS id, created_at AS createdAt FROM ${from} WHERE ${where.join(' AND ')} ORDER BY ` +
            'created_at DESC, listed.id DESC LIMIT ?',
        )
        .all(...(within === null ? [] : [JSON.stringify(within)]), ...values, limit);
    },
  };
}
