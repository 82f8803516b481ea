/** The database lets each coin be reserved once. */
export function isTaken(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}
