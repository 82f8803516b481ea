import { create } from 'zustand';
import type { OwnerStatus, OwnerSwaps } from '../../engine/contract/operator.ts';
import type { SandboxWorld } from '../../engine/contract/sandbox.ts';
import { Refused, type Transport } from '../client/call.ts';
import { httpTransport } from '../client/http.ts';
import { ipcTransport } from '../client/ipc.ts';
import type { TakerDirection, TakerSwap } from '../client/taker.ts';
import { forgetToken, keepToken, keptToken } from '../client/token.ts';

export type OwnerSwapRow = OwnerSwaps['swaps'][number];

export interface NodeState {
  /** Null until the owner gave the token. */
  readonly transport: Transport | null;
  readonly status: OwnerStatus | null;
  readonly swaps: readonly OwnerSwapRow[];
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
  startSwap(direction: TakerDirection, amount: number): Promise<string>;
  fund(swap: TakerSwap): Promise<void>;
}

const empty = { status: null, swaps: [], taker: [], sandbox: null, clockAhead: 0, readAt: 0, trouble: null } as const;

export const useNode = create<NodeState>()((set, get) => ({
  transport: firstTransport(),
  ...empty,

  async enter(token) {
    const transport = httpTransport(token);
    const status = (await transport.call('ownerStatus')) as OwnerStatus;
    keepToken(token);
    set({ transport, status, trouble: null });
  },

  leave() {
    forgetToken();
    set({ transport: null, ...empty });
  },

  async look() {
    const { transport } = get();
    if (transport === null) return;
    try {
      const [status, swaps, taker, sandbox] = await Promise.all([
        transport.call('ownerStatus') as Promise<OwnerStatus>,
        transport.call('ownerSwaps', { query: { limit: '50' } }) as Promise<OwnerSwaps>,
        transport.call('takerSwaps') as Promise<{ swaps: TakerSwap[] }>,
        (transport.call('sandbox') as Promise<SandboxWorld>).catch(outsideSandbox),
      ]);
      const readAt = Date.now() / 1_000;
      if (get().transport !== transport) return;
      set({ status, swaps: swaps.swaps, taker: taker.swaps, sandbox, clockAhead: sandbox === null ? 0 : sandbox.clock - readAt, readAt, trouble: null });
    } catch (error) {
      if (get().transport !== transport) return;
      if (error instanceof Refused && error.status === 401) get().leave();
      else set({ trouble: error instanceof Refused ? error.message : 'The node does not answer: is it still running? This page tries again by itself.' });
    }
  },

  async startSwap(direction, amount) {
    const transport = connected(get());
    const invoice = direction === 'arkade-lightning' ? ((await transport.call('sandboxInvoice', { body: { amount_sats: amount } })) as { bolt11: string }).bolt11 : null;
    const made = (await transport.call('createTakerSwap', { body: { direction, amount_sats: amount, ...(invoice === null ? {} : { invoice }) } })) as { id: string };
    await get().look();
    return made.id;
  },

  async fund(swap) {
    const transport = connected(get());
    if (swap.direction === 'lightning-arkade') await transport.call('sandboxPay', { body: { bolt11: swap.invoice } });
    else await transport.call('sandboxArkadeFaucet', { body: { address: swap.address, amount: swap.amount_sats } });
    await get().look();
  },
}));

function firstTransport(): Transport | null {
  if (window.sluice !== undefined) return ipcTransport(window.sluice);
  const token = keptToken();
  return token === null ? null : httpTransport(token);
}

function connected(state: NodeState): Transport {
  if (state.transport === null) throw new Refused(401, 'This page has no owner token: enter it first.');
  return state.transport;
}

/** The controls exist in sandbox mode only; any other failure is trouble. */
function outsideSandbox(error: unknown): null {
  if (error instanceof Refused && (error.status === 404 || error.status === 0)) return null;
  throw error;
}
