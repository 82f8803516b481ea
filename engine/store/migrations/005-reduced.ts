/**
 * A swap that was never funded is cut down one day (facts/faults.md 53). The first index lists what may be, the second what was
 * and could still be paid late: neither grows with the swaps that were done.
 */
export const sql = `
ALTER TABLE swaps ADD COLUMN reduced INTEGER NOT NULL DEFAULT 0 CHECK (reduced IN (0, 1));
CREATE INDEX swaps_reducible ON swaps (created_at, id) WHERE open = 0 AND reduced = 0 AND at IN ('lapsed', 'expired', 'unopened');
CREATE INDEX swaps_reduced ON swaps (id) WHERE reduced = 1 AND at = 'lapsed';
`;
