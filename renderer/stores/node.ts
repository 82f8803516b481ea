import { create } from 'zustand';
import { CallFailed } from '../../engine/contract/client.ts';
import type { OwnerStatus } from '../../engine/contract/owner/status.ts';
import type { OwnerSwaps } from '../../engine/contract/owner/swaps.ts';
import type { SandboxWorld } from '../../engine/contract/sandbox.ts';
import type { TakerDirection } from '../../engine/domain/chain.ts';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import { browserConnection } from '../client/browser.ts';
import type { Connection } from '../client/connection.ts';
import { desktopConnection } from '../client/desktop.ts';
import { pageDirections } from '../directions/directions.ts';
import { forgetToken, keepToken, keptToken } from '../client/token.ts';

export interface NodeState {
  /** Null until the owner gave the token. */
  readonly connection: Connection | null;
  readonly status: OwnerStatus | null;
  readonly swaps: OwnerSwaps['swaps'];
  readonly taker: readonly TakerSwap[];
  /** Null outside the sandbox. */
  readonly sandbox: SandboxWorld | null;
  /** What the node's clock is ahead of this machine's, seconds. */
  readonly clockAhead: number;
  /** When the swaps were read, unix seconds on this machine's clock. */
  readonly readAt: number;
  /** Why the last look at the node failed, null when it worked. */
  readonly trouble: string | null;

  enter(token: string): Promise<void>;
  leave(): void;
  look(): Promise<void>;
  startSwap(direction: TakerDirection, amount: number): Promise<void>;
  fund(swap: TakerSwap): Promise<void>;
  /** Asks back what was funded. */
  refund(swap: TakerSwap): Promise<void>;
}

const empty = { status: null, swaps: [], taker: [], sandbox: null, clockAhead: 0, readAt: 0, trouble: null };

export const useNode = create<NodeState>()((set, get) => ({
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
    try {
      const [status, provided, taken, sandbox] = await Promise.all([
        client.call('ownerStatus'),
        client.call('ownerSwaps', { query: { limit: 50 } }),
        client.call('takerSwaps', { query: {} }),
        client.call('sandbox').catch(notThere),
      ]);
      if (get().connection !== connection) return;
      const readAt = Date.now() / 1_000;
      set({
        status,
        swaps: provided.swaps,
        taker: taken.swaps,
        sandbox,
        clockAhead: sandbox === null ? 0 : sandbox.clock - readAt,
        readAt,
        trouble: null,
      });
    } catch (error) {
      if (get().connection !== connection) return;
      if (error instanceof CallFailed && error.status === 401) get().leave();
      else set({ trouble: sentenceFor(error) });
    }
  },

  async startSwap(direction, amount) {
    const { client } = connected(get());
    const invoice = (await pageDirections[direction]?.invoice(client, amount)) ?? null;
    await client.call('createTakerSwap', {
      body: { direction, amount_sats: amount, ...(invoice === null ? {} : { invoice }) },
    });
    await get().look();
  },

  async fund(swap) {
    const { client } = connected(get());
    await pageDirections[swap.direction]?.fund(client, swap);
    await get().look();
  },

  async refund(swap) {
    const { client } = connected(get());
    await client.call('refundTakerSwap', { params: { id: swap.id }, body: {} });
    await get().look();
  },
}));

/** What to tell a person when a call failed. */
export function sentenceFor(error: unknown): string {
  return error instanceof CallFailed ? error.message : 'The node does not answer: is it still running?';
}

function firstConnection(): Connection | null {
  if (window.sluice !== undefined) return desktopConnection(window.sluice);
  const token = keptToken();
  return token === null ? null : browserConnection(token);
}

function connected(state: NodeState): Connection {
  if (state.connection === null) throw new CallFailed(401, 'This page has no owner token: enter it first.');
  return state.connection;
}

/** On real networks the controls of the sandbox do not exist, say; any other failure is trouble. */
function notThere(error: unknown): null {
  if (error instanceof CallFailed && error.status === 404) return null;
  throw error;
}
