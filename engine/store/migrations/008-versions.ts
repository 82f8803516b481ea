/** What is kept says in which form: all of before is in the first one of its kind. */
export const sql = `
ALTER TABLE swaps ADD COLUMN terms_version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE swaps ADD COLUMN progress_version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE effects ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
`;
