import { onTestFinished } from 'vitest';
import type { EvmNetwork } from '../../../engine/domain/chain.ts';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { asPreimage } from '../../../engine/domain/hash.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { accountOf } from '../../../engine/legs/evm/account.ts';
import type { EvmAct } from '../../../engine/legs/evm/acts.ts';
import type { SwapContracts } from '../../../engine/legs/evm/contracts.ts';
import type { EvmEffect } from '../../../engine/legs/evm/effects.ts';
import type { EvmPort } from '../../../engine/legs/evm/port.ts';
import type { LockTerms } from '../../../engine/legs/evm/swap-key.ts';
import type { RescueSwap } from '../../../engine/legs/rescue.ts';
import { hash160Of, sha256Of } from '../../../engine/legs/secret.ts';
import { bitcoinCoin } from '../../../engine/quote/coin-price.ts';
import type { NameContracts } from '../../../engine/runtime/networks/evm/context.ts';
import type { MemoryClaim } from '../../../engine/runtime/networks/act.ts';
import type { EvmRules } from '../../../engine/runtime/networks/evm/rules.ts';
import { takerAccounts } from '../../../engine/adapters/keys/taker-accounts.ts';
import { evmDeployment } from '../../../engine/swap/jobs/deploy-evm.ts';
import { forwardEvm } from '../../../engine/swap/jobs/forward-evm.ts';
import { noUnpaidCosts, type UnpaidCosts } from '../../../engine/runtime/unpaid.ts';
import type { Runtime } from '../../../engine/runtime/runtime.ts';
import type { AnyMachine } from '../../../engine/runtime/working-set.ts';
import type { Effect, Event, Watch } from '../../../engine/swap/machine.ts';
import { runtimeOf } from '../../support/runtime.ts';
import { openStore, swapRow } from '../../store/support.ts';
import { createEvmChain, headsOf, type EvmChain } from '../../support/evm-chain.ts';
import { testConfig } from '../../support/node.ts';
import { memoryLog } from '../support.ts';

export const network = 'evm:137' as const satisfies EvmNetwork;
export const secret = new Uint8Array(32).fill(0x21);
export const clientSecret = new Uint8Array(32).fill(0x22);
export const ours = accountOf(secret);
export const client = accountOf(clientSecret);
export const preimage = asPreimage(new Uint8Array(32).fill(0x33));
export const hash = sha256Of(preimage);
/** The one that is opened first. */
export const firstSwap = 'a0000000-0000-4000-8000-000000000011';

interface Terms {
  readonly watches: readonly Watch[];
  /** What is out of it. */
  readonly rescue: RescueSwap | null;
}

interface Progress {
  readonly at: string;
  readonly events: readonly Event[];
}

/** A swap that does nothing of itself: it writes down what it hears of the chain. */
const listener: AnyMachine = {
  name: 'listener',
  shape: {
    terms: { version: 1, read: (value: unknown) => value as never },
    progress: { version: 1, read: (value: unknown) => value as { readonly at: string } },
  } as AnyMachine['shape'],
  step(_terms, progress, event) {
    const { at, events } = progress as Progress;
    if (event.is === 'abandoned')
      return { progress: { at: 'over', events } as Progress, effects: [], supersedes: ['evm'] };
    if (at === 'over' && event.is === 'evm.prepared') return 'stay';
    return event.is.startsWith('evm.')
      ? { progress: { at, events: [...events, event] } as Progress, effects: [] }
      : 'stay';
  },
  watches: (terms) => (terms as Terms).watches,
  rescue: (terms) => (terms as Terms).rescue,
  deadline: () => null,
  status: () => 'pending',
  open: () => true,
  reserves: () => false,
  untold: () => false,
  hash160: () => hash160Of(preimage),
  nextAction: () => '',
};

export interface SceneOptions {
  readonly chain?: EvmChain;
  readonly folder?: string;
  readonly rules?: Partial<EvmRules>;
  /** What clients of the swaps were charged, and where it is noted what is spent for them. */
  readonly unpaid?: Partial<UnpaidCosts>;
  /** What the node is told instead of what the chain says. */
  readonly lying?: (port: EvmPort) => Partial<EvmPort>;
  readonly nameContracts?: NameContracts;
  /** Seconds that the wall is ahead of the chain. */
  readonly skew?: () => number;
  readonly pollMs?: number;
}

/** A node on a chain in memory that mines when it is told to. */
export async function evmScene(options: SceneOptions = {}) {
  const {
    chain = createEvmChain(network),
    folder,
    rules = {},
    unpaid = {},
    lying,
    nameContracts,
    skew = () => 0,
    pollMs = 15,
  } = options;
  const { store, db, folder: dataDir } = openStore(folder);
  const honest = chain.port(secret);
  const port: EvmPort = { ...honest, heads: () => headsOf(port), ...lying?.(honest) };
  const { log, lines } = memoryLog();
  const contracts: SwapContracts = {
    kind: 'erc20',
    htlc: chain.htlc,
    coordinator: asEvmAddress(new Uint8Array(20).fill(0xc3)),
    htlcVersion: '4',
    coordinatorVersion: '3',
  };
  const rulesOf = (): EvmRules => ({
    confirmations: [2, 4],
    gas: { maxShareBps: 5_000, maxFeeGwei: 0 },
    singleSource: sats(1_000_000),
    price: bitcoinCoin,
    pegged: null,
    standing: null,
    ...rules,
  });
  const runtime: Runtime = runtimeOf({
    store,
    machines: [listener, ...([forwardEvm, evmDeployment] as unknown as readonly AnyMachine[])],
    ports: {
      arkade: null,
      lightning: null,
      bitcoin: null,
      [network]: port,
      takerAccounts: takerAccounts({ takerEvmSecret: () => clientSecret }),
    },
    wall: () => unix((chain.blocks.at(-1)?.time ?? 0) + skew()),
    log,
    pollMs,
    tipMs: 15,
    ceilings: () => testConfig().ceilings,
    evm: rulesOf,
    unpaid: { ...noUnpaidCosts, ...unpaid },
    ...(nameContracts === undefined ? {} : { nameContracts }),
  });
  let stopped = false;
  async function stop(): Promise<void> {
    if (stopped) return;
    stopped = true;
    await runtime.stop();
    db.close();
  }
  onTestFinished(stop);
  await runtime.start();
  let swaps = 0;

  function effectOf(act: EvmAct, change: Partial<EvmEffect> = {}): EvmEffect {
    return { do: 'evm.send', network, contracts, act, deadline: null, value: sats(1_000_000), ...change };
  }

  return {
    chain,
    store,
    runtime,
    contracts,
    lines,
    rules: rulesOf,
    folder: dataDir,
    stop,
    effectOf,
    lock(change: Partial<LockTerms> = {}): LockTerms {
      const timelock = BigInt((chain.blocks.at(-1)?.time ?? 0) + 86_400);
      return {
        preimageHash: hash,
        amount: 1_000n,
        token: chain.token,
        refundAddress: ours,
        claimAddress: client,
        timelock,
        ...change,
      };
    },
    open(effects: readonly Effect[], watches: readonly Watch[] = [], rescue: RescueSwap | null = null): string {
      swaps += 1;
      const id = `a0000000-0000-4000-8000-0000000000${swaps + 10}`;
      const createdAt = unix(chain.blocks.at(-1)?.time ?? 0);
      const row = swapRow({
        id,
        machine: 'listener',
        createdAt,
        terms: { watches, rescue },
        progress: { at: 'open', events: [] } as Progress,
      });
      return runtime.commits.open(id, () => ({ row, effects })).row.id;
    },
    events: (id: string): readonly Event[] =>
      (runtime.workingSet.find(id)?.row.progress as Progress | undefined)?.events ?? [],
    heard(id: string, is: Event['is']): readonly Event[] {
      return this.events(id).filter((event) => event.is === is);
    },
  };
}

export type EvmScene = Awaited<ReturnType<typeof evmScene>>;

/** What a claim of the scene's first swap is made from while no disk takes it. */
export function memoryClaim({ runtime: { ports, clock }, store, rules: evm }: EvmScene): MemoryClaim {
  const ceilings = () => ({ claimBps: 500 });
  return { swap: firstSwap, ports, clock, store, evm, ceilings, preimage, half: null, since: null };
}

/** What our account sent, as the blocks have it. */
export const minedOf = (chain: EvmChain): number => chain.replay().state.nonces.get(toHex(ours)) ?? 0;

/** Waits until something is so; the test's own limit ends it otherwise. */
export async function until<T>(test: () => T | undefined | false | null): Promise<T> {
  for (;;) {
    const value = test();
    if (value !== undefined && value !== false && value !== null) return value;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Lets the node look a few times. */
export function aWhile(ms = 200): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
