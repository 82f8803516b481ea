/** Where the client of a swap by the Boltz interface wants to be told of it, as JSON; null for nowhere. */
export const sql = `
ALTER TABLE boltz_swaps ADD COLUMN webhook TEXT;
`;
