/** When a swap got other terms than it was made with; null where it never did. */
export const sql = `
ALTER TABLE swaps ADD COLUMN agreed_at INTEGER;
CREATE INDEX swaps_agreed ON swaps (agreed_at) WHERE agreed_at IS NOT NULL;
`;
