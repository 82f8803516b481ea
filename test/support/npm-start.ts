import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** What `npm start` runs, flag by flag, for where no screen is: without a window, and with its page for a browser. */
export const npmStart = {
  arguments: startOf(readFileSync(join(root, 'package.json'), 'utf8')),
  environment: { DISPLAY: '', WAYLAND_DISPLAY: '' },
} as const;

function startOf(packageJson: string): readonly string[] {
  const { scripts } = JSON.parse(packageJson) as { scripts: { start: string } };
  const [program, entry = '', ...flags] = scripts.start.split(' ');
  if (program !== 'node') throw new Error(`npm start runs ${program}, not Node`);
  return [join(root, entry), ...flags];
}
