import { ledgerColumns, type Ledger } from '../contract/owner/ledger.ts';

/** RFC 4180. Text that a spreadsheet would run as a formula is disarmed; a negative amount is a number and stays. */
function cell(value: string | number | null): string {
  if (value === null) return '';
  const text = String(value);
  const armed = /^[=+@\t\r]/.test(text) || (text.startsWith('-') && !/^-\d+$/.test(text));
  const safe = armed ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The ledger as a spreadsheet reads it. */
export function ledgerCsv(ledger: Ledger): string {
  const rows = ledger.rows.map((row) => ledgerColumns.map((column) => cell(row[column])).join(','));
  return `${[ledgerColumns.join(','), ...rows].join('\r\n')}\r\n`;
}
