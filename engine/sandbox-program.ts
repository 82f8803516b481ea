import type { SandboxProgram } from './sandbox/program.ts';

/**
 * The sandbox networks as a program of their own, without any of the node; resolves with its exit code once it was told
 * to stop.
 */
export async function runSandboxProgram(options: SandboxProgram): Promise<number> {
  const { sandboxProgram } = await import('./sandbox/program.ts');
  return sandboxProgram(options);
}
