/**
 * What the list of the owner's own swaps is found by, derived from the rows of `swaps` and never the truth of anything: how each
 * ended (null while it goes on), its networks, and the words that it is searched by. `version` is that of the swap it was
 * derived from, `form` the rule by which; a swap whose entry has others is listed anew at the next start.
 */
export const sql = `
CREATE TABLE taker_swaps (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL,
  form INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  outcome TEXT,
  give TEXT NOT NULL,
  get TEXT NOT NULL
) STRICT;
CREATE INDEX taker_swaps_time ON taker_swaps (created_at, id, outcome, give, get);
CREATE INDEX taker_swaps_outcome ON taker_swaps (outcome, created_at, id, give, get);

CREATE TABLE taker_words (
  number INTEGER NOT NULL REFERENCES taker_swaps (number) ON DELETE CASCADE,
  word TEXT NOT NULL,
  PRIMARY KEY (number, word)
) STRICT, WITHOUT ROWID;
CREATE INDEX taker_words_word ON taker_words (word);

-- However many swaps of others there are: a start compares versions with nothing else.
CREATE INDEX swaps_taken ON swaps (id, version, machine) WHERE substr(machine, 1, 5) = 'take-';
`;
