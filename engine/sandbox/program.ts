import { isRefusal } from '../domain/errors.ts';
import { type SandboxOptions, runOperatorAlone, runSandbox } from './process.ts';
import type { RealNode } from './operator-alone.ts';

export interface SandboxProgram extends SandboxOptions {
  /** Ends with standard input: however the parent ends, its pipe does. */
  readonly parentPipe: boolean;
  /** A real Bitcoin node whose chain an Arkade operator follows, alone. */
  readonly bitcoinRpc?: RealNode;
}

/** The sandbox as a program: runs until it is told to stop, and answers the exit code. */
export async function sandboxProgram(options: SandboxProgram): Promise<number> {
  const stopRequest = stopRequested(options.parentPipe);
  const { bitcoinRpc } = options;
  const sandbox = await (bitcoinRpc === undefined
    ? runSandbox(options)
    : runOperatorAlone({ ...options, node: bitcoinRpc }));
  if (isRefusal(sandbox)) {
    process.stderr.write(`${sandbox.sentence}\n`);
    return 1;
  }
  process.stdout.write(`${JSON.stringify({ event: 'ready', url: sandbox.url, dataDir: options.dataDir })}\n`);
  await stopRequest;
  await sandbox.stop();
  return 0;
}

function stopRequested(parentPipe: boolean): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
    if (!parentPipe) return;
    for (const event of ['end', 'close', 'error']) process.stdin.once(event, () => resolve());
    process.stdin.resume();
  });
}
