/**
 * A client's refund that we sign is noted like what the Lightning node is told: in a database of before that signature the
 * swap stands as if it could still be paid (facts/faults.md 5).
 */
export const sql = `
CREATE TABLE intents_7 (
  act TEXT NOT NULL CHECK (act IN ('invoice', 'payment', 'refund')),
  subject TEXT NOT NULL,
  hash160 BLOB,
  PRIMARY KEY (act, subject)
) STRICT, WITHOUT ROWID;
INSERT INTO intents_7 (act, subject, hash160) SELECT act, subject, hash160 FROM intents;
DROP TABLE intents;
ALTER TABLE intents_7 RENAME TO intents;
CREATE INDEX intents_hash ON intents (hash160) WHERE hash160 IS NOT NULL;
`;
