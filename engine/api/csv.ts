import { bookColumns, type BookLine } from '../contract/owner/book-lines.ts';
import { ledgerColumns, type Ledger } from '../contract/owner/ledger.ts';

/** RFC 4180. Text that a spreadsheet would run as a formula is disarmed; a negative amount is a number and stays. */
function cell(value: string | number | null): string {
  if (value === null) return '';
  const text = String(value);
  const armed = /^[=+@\t\r]/.test(text) || (text.startsWith('-') && !/^-\d+$/.test(text));
  const safe = armed ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The ledger as a spreadsheet reads it, or the books, whose lines have more columns. */
export function ledgerCsv({ rows }: Ledger, format: 'csv' | 'books'): string {
  const columns: readonly (keyof BookLine)[] = format === 'csv' ? ledgerColumns : bookColumns;
  const lines = rows.map((row: Partial<BookLine>) => columns.map((column) => cell(row[column] ?? null)).join(','));
  return `${[columns.join(','), ...lines].join('\r\n')}\r\n`;
}
