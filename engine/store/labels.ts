import type { Database } from 'better-sqlite3';

/** The owner's own words for a swap; null for none. */
export interface Label {
  readonly label: string | null;
  readonly note: string | null;
}

const unlabelled: Label = { label: null, note: null };

/** How labels and what is looked for in them are compared: in either case, however accents were typed. */
function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

export function labelsTable(db: Database) {
  const put = db.prepare(
    `INSERT INTO labels (swap_id, label, note, folded) VALUES (?, ?, ?, ?)
     ON CONFLICT (swap_id) DO UPDATE SET label = excluded.label, note = excluded.note, folded = excluded.folded`,
  );
  const remove = db.prepare(`DELETE FROM labels WHERE swap_id = ?`);
  const find = db.prepare<[string], Label>(`SELECT label, note FROM labels WHERE swap_id = ?`);
  const named = db.prepare<[string], { id: string }>(`SELECT swap_id AS id FROM labels WHERE instr(folded, ?) > 0`);
  return {
    put(id: string, { label, note }: Label): void {
      if (label === null && note === null) remove.run(id);
      else put.run(id, label, note, folded(`${label ?? ''}\n${note ?? ''}`));
    },
    of(id: string): Label {
      return find.get(id) ?? unlabelled;
    },
    /** The swaps in whose label or note a text is, wherever in it. */
    idsWith(text: string): string[] {
      return named.all(folded(text)).map(({ id }) => id);
    },
  };
}
