/** Whose request a promise of liquidity came from: what one client may hold without paying is judged by it. */
export const sql = `
ALTER TABLE reservations ADD COLUMN client TEXT;
CREATE INDEX reservations_client ON reservations (client) WHERE client IS NOT NULL;
`;
