import { expect, test } from 'vitest';
import { desktopEntry } from '../../main/desktop-entry.ts';

// https://specifications.freedesktop.org/desktop-entry-spec/latest/exec-variables.html
test('a command in an autostart entry is quoted, so that no path in it is read as something else', () => {
  const command = ['/opt/Sluice App/sluice', '--data-dir', '/home/a"b/$HOME/`x`/100%\\y', '--hidden'];
  expect(desktopEntry(command)).toContain(
    '\nExec="/opt/Sluice App/sluice" "--data-dir" "/home/a\\\\"b/\\\\$HOME/\\\\`x\\\\`/100%%\\\\\\\\y" "--hidden"\n',
  );
  expect(() => desktopEntry(['x\nExec=evil'])).toThrow(RangeError);
});
