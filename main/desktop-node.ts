import { isRefusal, type Refusal } from '../engine/domain/errors.ts';
import type { Engine } from '../engine/index.ts';
import { mineByItself } from './auto-mine.ts';
import type { HostFlags } from './flags.ts';
import { runNode, type Host, type HostParts } from './host.ts';
import { openFolder, type OpenFolder } from './open-folder.ts';
import { sentences } from './words.ts';

export type NodeState =
  | { readonly is: 'off' | 'starting' }
  | { readonly is: 'running'; readonly host: Host }
  | { readonly is: 'failed'; readonly sentence: string };

/** One data folder at a time and the node in it, which may start long after the window, and stop before it. */
export interface DesktopNode {
  folder(): OpenFolder | null;
  state(): NodeState;
  engine(): Engine | null;
  onChange(listener: (state: NodeState) => void): () => void;
  open(flags: HostFlags, environment: HostParts['environment']): Promise<Refusal | null>;
  /** Returns at once; the state says how it went. The seed is wiped when the node stops. */
  start(seed: Uint8Array): void;
  /** Stops the node, then leaves the folder. Rejects where the node did not stop cleanly. */
  close(): Promise<void>;
}

export function createDesktopNode(parts: HostParts): DesktopNode {
  const listeners = new Set<(state: NodeState) => void>();
  let folder: OpenFolder | null = null;
  let state: NodeState = { is: 'off' };
  let starting: Promise<void> = Promise.resolve();

  function become(next: NodeState): void {
    state = next;
    for (const listener of listeners) listener(next);
  }

  async function run(opened: OpenFolder, seed: Uint8Array): Promise<void> {
    try {
      const host = await runNode(opened, seed, parts);
      if (isRefusal(host)) return become({ is: 'failed', sentence: host.sentence });
      if (host.sandbox) await mineByItself(host.engine);
      become({ is: 'running', host });
    } catch (error) {
      parts.log.error({ err: error }, 'the node cannot start');
      become({ is: 'failed', sentence: sentences.unexpected });
    }
  }

  return {
    folder: () => folder,
    state: () => state,
    engine: () => (state.is === 'running' ? state.host.engine : null),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async open(flags, environment) {
      if (folder !== null) throw new Error('a folder is open already');
      const opened = await openFolder(flags, { environment, platform: parts.platform });
      if (isRefusal(opened)) return opened;
      folder = opened;
      return null;
    },
    start(seed) {
      if (folder === null || state.is === 'running' || state.is === 'starting')
        throw new Error('a node needs an open folder, and one is enough');
      become({ is: 'starting' });
      starting = run(folder, seed);
    },
    async close() {
      await starting;
      const ended = state;
      become({ is: 'off' });
      try {
        if (ended.is === 'running') await ended.host.stop();
      } finally {
        folder?.close();
        folder = null;
      }
    },
  };
}
