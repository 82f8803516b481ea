/**
 * What made the coins of our payments on the Bitcoin chain. It was in a block then: a reorganisation may take it, and
 * whether it can come again only its own inputs tell.
 */
export const sql = `
CREATE TABLE makers (
  maker TEXT NOT NULL,
  txid TEXT NOT NULL REFERENCES transactions (txid),
  sealed BLOB NOT NULL,
  PRIMARY KEY (maker, txid)
) STRICT;
CREATE INDEX makers_txid ON makers (txid);
`;
