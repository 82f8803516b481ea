/**
 * What the owner calls a swap, apart from the swap itself: nothing that moves money reads it. folded is label and note
 * as they are searched.
 */
export const sql = `
CREATE TABLE labels (
  swap_id TEXT PRIMARY KEY,
  label TEXT,
  note TEXT,
  folded TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;
