/** An effect that waited, for a network or a reading, is told from one whose act may have happened. Before, each try counted as begun. */
export const sql = `
ALTER TABLE effects ADD COLUMN begun INTEGER NOT NULL DEFAULT 0 CHECK (begun IN (0, 1));
UPDATE effects SET begun = 1 WHERE attempts > 0;
`;
