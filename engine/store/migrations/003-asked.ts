/** How often a swap asked for an effect before: its pause goes on growing over a restart. */
export const sql = `
ALTER TABLE effects ADD COLUMN asked INTEGER NOT NULL DEFAULT 0;
`;
