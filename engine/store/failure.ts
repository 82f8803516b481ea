/**
 * Disk full, I/O error, a page that is damaged, busy beyond the time limit: the disk's trouble, not a bug in what was
 * to be saved; of the database and of the marks beside it.
 */
export function isStorageFailure(cause: unknown): boolean {
  return /^(SQLITE_(FULL|IOERR|CORRUPT|NOTADB|BUSY|READONLY|CANTOPEN|NOMEM)|(ENOSPC|EDQUOT|EROFS|EIO)$)/.test(
    codeOf(cause),
  );
}

/** No room on the disk: of the transaction that it ended nothing is saved, nor ever will be. */
export function isNoRoom(cause: unknown): boolean {
  return isStorageFailure(cause) && /^(SQLITE_FULL|ENOSPC|EDQUOT)$/.test(codeOf(cause));
}

/** Whether it is the database, and not a mark beside it. */
export function isOfDatabase(cause: unknown): boolean {
  return isStorageFailure(cause) && codeOf(cause).startsWith('SQLITE_');
}

function codeOf(cause: unknown): string {
  return typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
}
