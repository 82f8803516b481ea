/** Structured logging: an object of plain facts and a short text. Never a preimage, key, seed or token. */
export interface Log {
  info(facts: object, text: string): void;
  warn(facts: object, text: string): void;
  error(facts: object, text: string): void;
}
