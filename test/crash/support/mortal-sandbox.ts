import { setTimeout as pause } from 'node:timers/promises';
import type { SandboxControls } from '../../../engine/sandbox/controls.ts';
import type { SandboxEndpoints } from '../../../engine/sandbox/endpoints.ts';
import { startNetworks, type Program } from './program.ts';

/** The sandbox's networks in a process that is killed and comes back at the same places. */
export interface MortalSandbox {
  readonly endpoints: SandboxEndpoints;
  readonly kills: number;
  /** SIGKILL `ms` after nothing is asked of its controls any more; it is up again when this resolves. */
  killAfter(ms: number): Promise<void>;
  /** The same controls, which wait while it is down: whoever plays a client hears every answer, the node does not. */
  patient(controls: SandboxControls): SandboxControls;
  stop(): Promise<void>;
}

export async function mortalSandbox(entry: string, dataDir: string): Promise<MortalSandbox> {
  let program: Program;
  let kills = 0;
  let asking = 0;
  let isDown = false;
  const first = await startNetworks(entry, dataDir);
  program = first.program;

  async function inTurn<T>(ask: () => Promise<T>): Promise<T> {
    while (isDown) await pause(20);
    asking += 1;
    try {
      return await ask();
    } finally {
      asking -= 1;
    }
  }

  return {
    endpoints: first.endpoints,
    get kills() {
      return kills;
    },
    async killAfter(ms) {
      isDown = true;
      while (asking > 0) await pause(5);
      await pause(ms);
      await program.kill();
      kills += 1;
      const next = await startNetworks(entry, dataDir);
      program = next.program;
      const [before, now] = [first.endpoints, next.endpoints].map(({ pid: _, ...places }) => JSON.stringify(places));
      if (before !== now) throw new Error(`the sandbox came back at other places: ${now}, before ${before}`);
      isDown = false;
    },
    patient: (controls) =>
      new Proxy(controls, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          return typeof member === 'function'
            ? (...args: unknown[]) => inTurn(async () => Reflect.apply(member, target, args) as unknown)
            : member;
        },
      }),
    stop: () => program.stop(),
  };
}
