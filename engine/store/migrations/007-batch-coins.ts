/** The coins that each batch of ours took: that it took another one is the operator's word alone. */
export const sql = `
CREATE TABLE own_batch_coins (
  txid TEXT NOT NULL REFERENCES own_batches (txid),
  outpoint TEXT NOT NULL,
  PRIMARY KEY (txid, outpoint)
) STRICT, WITHOUT ROWID;
`;
