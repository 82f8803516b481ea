/**
 * Relays of one swap, or of one client in a day, that may fail before the client is left to its own transaction: each
 * costs us gas and gains nobody anything (facts/faults.md 57).
 */
export const mostReverts = 3;
