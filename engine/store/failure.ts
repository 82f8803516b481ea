/**
 * Disk full, I/O error, a page that is damaged, busy beyond the time limit: the disk's trouble, not a bug in what was
 * to be saved; of the database and of the marks beside it.
 */
export function isStorageFailure(cause: unknown): boolean {
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return false;
  return /^(SQLITE_(FULL|IOERR|CORRUPT|NOTADB|BUSY|READONLY|CANTOPEN|NOMEM)|(ENOSPC|EDQUOT|EROFS|EIO)$)/.test(
    String(cause.code),
  );
}
