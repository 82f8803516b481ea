/** An entry of the freedesktop autostart folder; arguments are quoted as its specification says ("The Exec key"). */
export function desktopEntry(command: readonly string[]): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Sluice',
    'Comment=Finishes open swaps',
    `Exec=${command.map(quoted).join(' ')}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}

/**
 * Reserved characters are escaped inside quotes, then backslashes once more for the string; a percent sign is doubled.
 */
function quoted(argument: string): string {
  if (/[\n\r\0]/.test(argument)) throw new RangeError('a command in a desktop entry has no line ends');
  return `"${argument
    .replaceAll(/["`$\\]/g, (sign) => `\\${sign}`)
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')}"`;
}
