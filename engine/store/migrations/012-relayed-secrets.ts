/** A secret that a client gave with its batch is noted: an own swap's lies in the same table before it is shown. */
export const sql = `
CREATE TABLE noted_acts (
  act TEXT NOT NULL CHECK (act IN ('invoice', 'payment', 'refund', 'relay')),
  subject TEXT NOT NULL,
  hash160 BLOB,
  PRIMARY KEY (act, subject)
) STRICT, WITHOUT ROWID;
INSERT INTO noted_acts SELECT act, subject, hash160 FROM intents;
DROP TABLE intents;
ALTER TABLE noted_acts RENAME TO intents;
CREATE INDEX intents_hash ON intents (hash160) WHERE hash160 IS NOT NULL;
`;
