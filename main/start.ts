// `npm start`: the desktop where its runtime is present, else the headless node, after a build if one is needed.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { buildIfNeeded } from './build.ts';
import { keepCompiled } from './compile-cache.ts';
import { answerHostHelp } from './host-help.ts';
import { electronFlag, nodeFlags } from './node-flags.ts';
import { places } from './places.ts';
import { electronRuntime, hasScreen } from './runtime.ts';

answerHostHelp('npm start', 'Starts Sluice: in a window where there is one, else with its page for a browser.');

const { root } = places();
const args = process.argv.slice(2);

if (!(await buildIfNeeded(root))) {
  console.error('The build failed, so there is nothing to start: the lines above say why.');
  process.exit(1);
}

const runtime = electronRuntime(root, process.env);
const screen = hasScreen(process.platform, process.env);
if (runtime === null)
  console.error(
    'Electron is not installed: the node runs without a window and serves its page to your browser. "npx ' +
      'install-electron" installs it.',
  );
else if (!screen)
  console.error('There is no screen, so the node runs without a window and serves its page to a browser.');

keepCompiled();
const [program, ...before] =
  runtime !== null && screen
    ? [runtime, root, electronFlag]
    : [process.execPath, ...nodeFlags, join(root, 'out', 'main', 'headless.js'), '--mine'];
const child = spawn(program, [...before, ...args], { stdio: 'inherit' });
// The terminal tells the whole group; a signal sent to this process alone is passed on.
process.on('SIGTERM', () => void child.kill('SIGTERM'));
process.on('SIGINT', () => void (process.stdin.isTTY || child.kill('SIGINT')));
child.once('error', (error) => {
  console.error(`${program} does not start: ${error.message}.`);
  process.exit(1);
});
child.once('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 130)));
