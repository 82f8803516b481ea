/**
 * Books with two sides. Lines of before have none: an account begins with the first line that names it, and a wallet
 * with what it holds then.
 */
export const sql = `
ALTER TABLE ledger ADD COLUMN source TEXT;
ALTER TABLE ledger ADD COLUMN target TEXT CHECK (source <> target AND (source IS NULL) = (target IS NULL));
-- The transaction that moved it, or the owner's reason.
ALTER TABLE ledger ADD COLUMN note TEXT;

-- What came to an account less what left it, in the ledger's units. Kept with each line, in the same commit: the sum
-- over all accounts of an asset is zero.
CREATE TABLE accounts (
  network TEXT NOT NULL,
  asset TEXT NOT NULL,
  account TEXT NOT NULL,
  balance TEXT NOT NULL,
  PRIMARY KEY (network, asset, account)
) STRICT, WITHOUT ROWID;

-- What a wallet account is made of: its coins, or, of an account chain, all that was last seen there, at the place
-- 'account'. amount is in the ledger's units.
CREATE TABLE book_coins (
  network TEXT NOT NULL,
  asset TEXT NOT NULL,
  place TEXT NOT NULL,
  amount TEXT NOT NULL,
  PRIMARY KEY (network, asset, place)
) STRICT, WITHOUT ROWID;

-- What a mined transaction brought to its account less what it took, gas aside: amounts by asset.
ALTER TABLE nonces ADD COLUMN moved TEXT;

-- Batches of an Arkade operator in which coins of ours took part: no transaction of ours names them.
CREATE TABLE own_batches (
  txid TEXT PRIMARY KEY,
  subject TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;
