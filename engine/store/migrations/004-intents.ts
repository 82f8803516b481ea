/**
 * What the Lightning node was told to do outlives the effect that told it: what carries the same hash is ours only when
 * our own intent came before it. Before, a payment was noted at its effect alone, and every
 * swap that came as far as having an invoice had asked for it.
 */
export const sql = `
CREATE TABLE intents (
  act TEXT NOT NULL CHECK (act IN ('invoice', 'payment')),
  subject TEXT NOT NULL,
  hash160 BLOB,
  PRIMARY KEY (act, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX intents_hash ON intents (hash160) WHERE hash160 IS NOT NULL;

INSERT INTO intents (act, subject, hash160)
  SELECT 'payment', subject, NULL FROM effects WHERE begun = 1 GROUP BY subject;
INSERT INTO intents (act, subject, hash160)
  SELECT 'invoice', swaps.id, hashes.hash160 FROM swaps JOIN hashes ON hashes.swap_id = swaps.id
  WHERE swaps.machine = 'lightning-arkade' AND swaps.at NOT IN ('opening', 'abandoning', 'unopened');
ALTER TABLE effects DROP COLUMN begun;
`;
