import { utilityProcess } from 'electron';
import type { SpawnSandbox } from './sandbox-process.ts';

const farewellMs = 15_000;

/** Starts the networks as a utility process: packaged, the program cannot be run as Node. It ends with the program. */
export function spawnWithElectron(entry: string): SpawnSandbox {
  return (args) => {
    // Its standard input is no pipe of ours, so it is not told to watch one.
    const child = utilityProcess.fork(
      entry,
      args.filter((arg) => arg !== '--parent-pipe'),
      { stdio: ['ignore', 'ignore', 'inherit'], serviceName: 'Sluice sandbox networks' },
    );
    const ended = new Promise<string>((resolve) => child.once('exit', (code) => resolve(`code ${code}`)));
    return {
      pid: () => child.pid ?? null,
      ended,
      async stop() {
        child.kill();
        const { pid } = child;
        const timer = setTimeout(() => pid !== undefined && process.kill(pid, 'SIGKILL'), farewellMs);
        await ended;
        clearTimeout(timer);
      },
    };
  };
}
