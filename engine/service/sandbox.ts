import { setTimeout as pause } from 'node:timers/promises';
import type { SandboxProxy } from '../api/service.ts';
import { PortFailure, refuse, type Refusal } from '../domain/errors.ts';
import type { EvmAddress } from '../domain/evm.ts';
import { toHex } from '../domain/hex.ts';
import { unix, type Unix } from '../domain/time.ts';
import { inBackground } from '../runtime/background.ts';
import type { Log } from '../runtime/log.ts';
import type { Store } from '../store/store.ts';

/** The sandbox process, as far as the node must know it. */
export interface SandboxLink {
  state(): Promise<{ clock: number; skew?: number }>;
  arkadeFaucet(pay: { address: string; amount: number }): Promise<unknown>;
  bitcoinFaucet(pay: { address: string; amount: number }): Promise<unknown>;
  mine(blocks: number): Promise<unknown>;
  /** Says which account of a chain is the node's; a new one is given what it begins with. */
  evmNode(chain: string, address: string): Promise<unknown>;
  forward(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
}

function machineNow(): number {
  return Math.floor(Date.now() / 1_000);
}

/**
 * The sandbox's clock as the engine's wall clock: the machine's time plus the sandbox's offset, which only grows, wrong
 * by as much as the controls say. Moved by the owner's own controls at once, and found again when somebody else moved
 * it.
 */
export function createSandboxClock(link: SandboxLink, options: { everyMs: number; log: Log }) {
  const listeners = new Set<() => Promise<void>>();
  let offset = 0;
  let wrong = 0;
  let timer: NodeJS.Timeout | null = null;

  async function read(): Promise<void> {
    const { clock, skew = 0 } = await link.state();
    const seen = clock - machineNow();
    // Two clocks that count whole seconds may differ by one.
    const moved = seen > offset + 1;
    if (!moved && skew === wrong) return;
    if (moved) offset = seen;
    wrong = skew;
    for (const listener of listeners) await listener();
  }

  async function readQuietly(): Promise<void> {
    try {
      await read();
    } catch (cause) {
      options.log.warn({ cause: String(cause) }, 'the sandbox does not tell its clock');
    }
  }

  return {
    wall: (): Unix => unix(machineNow() + offset + wrong),
    read,
    /** Reading it goes on once all who listen have looked again. */
    onMoved(listener: () => Promise<void>): void {
      listeners.add(listener);
    },
    /** Once the sandbox answers. */
    readFirst: () => patiently(read, patience),
    start(): void {
      timer = setInterval(() => inBackground(options.log, "reading the sandbox's clock", readQuietly), options.everyMs);
    },
    stop(): void {
      if (timer !== null) clearInterval(timer);
    },
  };
}

export type SandboxClock = ReturnType<typeof createSandboxClock>;

/** Hands the owner's controls on; after each one the engine looks again, so that what it did shows at once. */
export function createSandboxProxy(
  link: SandboxLink,
  on: { onDone: () => Promise<void>; onReset: () => Promise<Refusal | null> },
): SandboxProxy {
  return {
    async call(method, path, body) {
      if (path === '/sandbox/reset') {
        const refused = await on.onReset();
        return refused === null ? { status: 200, body: {} } : { status: 503, body: { error: refused.sentence } };
      }
      const reply = await link.forward(method, path, body ?? undefined);
      if (method === 'POST' && reply.status === 200) await on.onDone();
      return reply;
    },
  };
}

/**
 * Asks for fresh networks. Refused where they did not say that they are: whoever went on as if they were would have a
 * database of other networks than its own.
 */
export async function renewNetworks(link: SandboxLink): Promise<Refusal | null> {
  const why = await link.forward('POST', '/sandbox/reset', {}).then(
    ({ status, body }) => (status === 200 ? null : String((body as { error?: unknown } | null)?.error ?? status)),
    (cause: unknown) => (cause instanceof Error ? cause.message : String(cause)),
  );
  if (why === null) return null;
  return refuse(
    'unavailable',
    `The networks of the sandbox were not renewed (${why.replace(/\.$/, '')}): the node goes on as it was, reset again.`,
  );
}

/**
 * How long a start waits for the sandbox's networks, which answer late on a busy machine, and how often it asks them.
 */
const patience = { ms: 60_000, everyMs: 500 };

/**
 * Asks again while a network does not answer in time: a start must not end by that. What is wrong for good ends it at
 * once.
 */
async function patiently<T>(ask: () => Promise<T>, { ms, everyMs }: typeof patience): Promise<T> {
  const until = performance.now() + ms;
  for (;;) {
    try {
      return await ask();
    } catch (cause) {
      if (!(cause instanceof PortFailure) || cause.retry === 'never' || performance.now() + everyMs > until)
        throw cause;
      await pause(everyMs);
    }
  }
}

/** A fresh sandbox node gets the coins of its wallets once; a restart finds what is left of them. */
export async function fundWallets(
  link: SandboxLink,
  store: Store,
  addresses: {
    arkade: () => Promise<string>;
    bitcoin: () => Promise<string>;
    evm: { readonly chains: readonly string[]; readonly account: EvmAddress };
  },
  waits = patience,
): Promise<void> {
  const { chains, account } = addresses.evm;
  await Promise.all([
    once(store, 'sandbox-funded', async () => fundArkadeWallet(link, await patiently(addresses.arkade, waits))),
    once(store, 'sandbox-funded-bitcoin', async () =>
      fundBitcoinWallet(link, await patiently(addresses.bitcoin, waits)),
    ),
    ...chains.map((chain) => patiently(() => link.evmNode(chain, `0x${toHex(account)}`), waits)),
  ]);
}

async function once(store: Store, mark: string, fund: () => Promise<void>): Promise<void> {
  if (store.settings.get<boolean>(mark) === true) return;
  await fund();
  store.settings.put(mark, true);
}

/** Ten bitcoin for the node's Arkade wallet, in coins enough for many locks at once. */
const startingCoins = 80;
const startingCoinSats = 12_500_000;

async function fundArkadeWallet(link: SandboxLink, address: string): Promise<void> {
  await Promise.all(
    Array.from({ length: startingCoins }, () => link.arkadeFaucet({ address, amount: startingCoinSats })),
  );
}

/** Ten bitcoin for the node's on-chain wallet, confirmed. */
const chainCoins = 10;
const chainCoinSats = 100_000_000;

async function fundBitcoinWallet(link: SandboxLink, address: string): Promise<void> {
  for (let i = 0; i < chainCoins; i++) await link.bitcoinFaucet({ address, amount: chainCoinSats });
  await link.mine(1);
}
