/**
 * Swaps that came by the door for the Boltz interface: the id that their client knows, apart from the swap itself, and
 * the public keys by which it finds them again. Nothing that moves money reads them.
 */
export const sql = `
CREATE TABLE boltz_swaps (
  id TEXT PRIMARY KEY,
  swap_id TEXT NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;
CREATE TABLE boltz_keys (
  public_key BLOB NOT NULL,
  id TEXT NOT NULL REFERENCES boltz_swaps (id),
  PRIMARY KEY (public_key, id)
) STRICT, WITHOUT ROWID;
`;
