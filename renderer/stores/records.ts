import { create } from 'zustand';
import { CallFailed } from '../../engine/contract/client.ts';
import type { OwnerStatus } from '../../engine/contract/owner/status.ts';
import type { SandboxWorld } from '../../engine/contract/sandbox.ts';
import { browserConnection } from '../client/browser.ts';
import type { Connection } from '../client/connection.ts';
import { desktopConnection } from '../client/desktop.ts';
import { forgetToken, keepToken, keptToken } from '../client/token.ts';
import type { TakerSwap, TakerSwaps } from '../../engine/contract/taker-swap.ts';
import { troubleText } from './trouble.ts';

/** What every screen stands on: the node, the owner's own swaps, the sandbox's clock. */
export interface RecordsState {
  /** Null until the owner gave the token. */
  readonly connection: Connection | null;
  readonly status: OwnerStatus | null;
  /** Those that go on, newest first; null until they were read for the first time. */
  readonly swaps: readonly TakerSwap[] | null;
  /** How many there are of each, over or not. */
  readonly counts: TakerSwaps['counts'] | null;
  /** Null outside the sandbox. */
  readonly sandbox: SandboxWorld | null;
  /** The start of the node's life of which it is known that it is on real networks; null while it is not. */
  readonly realSince: number | null;
  /** When this was read, unix seconds on this machine's clock; null before. */
  readonly readAt: number | null;
  /** Why the last look at the node failed, null when it worked. */
  readonly trouble: string | null;
  /** Counts what the node said happened: a screen with records of its own reads them anew when it changes. */
  readonly changes: number;

  enter(token: string): Promise<void>;
  leave(): void;
  look(): Promise<void>;
}

/** More than anybody has open; the list itself goes on page by page. */
const mostOpen = 200;

const empty = {
  status: null,
  swaps: null,
  counts: null,
  sandbox: null,
  realSince: null,
  readAt: null,
  trouble: null,
  changes: 0,
};

export const useRecords = create<RecordsState>()((set, get) => ({
  connection: firstConnection(),
  ...empty,

  async enter(token) {
    const connection = browserConnection(token);
    const status = await connection.client.call('ownerStatus');
    keepToken(token);
    set({ connection, status, trouble: null });
  },

  leave() {
    forgetToken();
    set({ connection: null, ...empty });
  },

  async look() {
    const { connection } = get();
    if (connection === null) return;
    const { client } = connection;
    const { realSince } = get();
    try {
      const [status, listed, sandbox] = await Promise.all([
        client.call('ownerStatus'),
        client.call('takerSwaps', { query: { show: 'open', limit: mostOpen } }),
        realSince === null ? client.call('sandbox').catch(notThere) : null,
      ]);
      if (get().connection !== connection) return;
      const { swaps, counts } = listed;
      set({
        status,
        swaps,
        counts,
        sandbox,
        readAt: Date.now() / 1_000,
        trouble: null,
        changes: get().changes + 1,
        // Another life of the node may be on a sandbox: the next look asks.
        realSince: sandbox === null && (realSince ?? status.started) === status.started ? status.started : null,
      });
    } catch (error) {
      if (get().connection !== connection) return;
      if (error instanceof CallFailed && error.status === 401) get().leave();
      else set({ trouble: troubleText(error) });
    }
  },
}));

function firstConnection(): Connection | null {
  if (typeof window === 'undefined') return null;
  if (window.sluice !== undefined) return desktopConnection(window.sluice);
  const token = keptToken();
  return token === null ? null : browserConnection(token);
}

/** The node's client, for an act; refused before the owner gave the token. */
export function client(): Connection['client'] {
  const { connection } = useRecords.getState();
  if (connection === null) throw new CallFailed(401, 'This page has no owner token: enter it first.');
  return connection.client;
}

/** On real networks the controls of the sandbox do not exist, say; any other failure is trouble. */
function notThere(error: unknown): null {
  if (error instanceof CallFailed && error.status === 404) return null;
  throw error;
}
