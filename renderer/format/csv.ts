/** RFC 4180; what a spreadsheet would run as a formula begins with an apostrophe. */
export function csvText(lines: readonly (readonly string[])[]): string {
  return lines
    .map((cells) => cells.map(cellText).join(','))
    .join('\r\n')
    .concat('\r\n');
}

function cellText(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
