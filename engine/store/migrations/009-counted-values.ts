/**
 * The swaps that count in a ceiling of an hour or a day: a stranger's creates that nobody funded are not read through
 * with each sum. The statuses are those of `untouched` in `../value-since.ts`.
 */
export const sql = `
CREATE INDEX swaps_counted ON swaps (created_at)
  WHERE status NOT IN ('expired', 'clientinvalidfunded', 'clientfundedtoolate', 'serverwontfund', 'clientrefunded');
`;
