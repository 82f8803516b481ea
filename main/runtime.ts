import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The Electron program, or null where its runtime was not fetched. Only looks at files: loading the package would
 * start a download of some hundred megabytes, which never ends on a machine that may not reach the server.
 */
export function electronRuntime(
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  const name = join(root, 'node_modules', 'electron', 'path.txt');
  const elsewhere = environment['ELECTRON_OVERRIDE_DIST_PATH'];
  const program = existsSync(name) ? readFileSync(name, 'utf8').trim() : null;
  const path =
    elsewhere !== undefined
      ? join(elsewhere, program ?? 'electron')
      : program === null
        ? null
        : join(root, 'node_modules', 'electron', 'dist', program);
  return path !== null && existsSync(path) ? path : null;
}

/** Where there is no screen, a window cannot open even when the runtime is there. */
export function hasScreen(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  return platform !== 'linux' || Boolean(environment['DISPLAY'] ?? environment['WAYLAND_DISPLAY']);
}
