import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { evmNetwork, type EvmNetwork } from '../domain/chain.ts';
import { PortFailure } from '../domain/errors.ts';
import { toHex } from '../domain/hex.ts';
import { day } from '../domain/time.ts';
import { mostBlocksIn } from '../legs/evm/block-rate.ts';
import type { SwapContracts } from '../legs/evm/contracts.ts';
import { evmFailure, failedOnEvm } from '../legs/evm/failures.ts';
import { swapKey } from '../legs/evm/swap-key.ts';
import type { RescueEntry, RescueLeg } from '../legs/rescue.ts';
import { firstWithLogs, hasLogs } from '../runtime/networks/evm/logs-there.ts';
import { evmOf, takerAccountsOf, type Ports } from '../runtime/ports.ts';
import { walletKey } from './evm-payer.ts';
import { ownLocks } from './evm.ts';

/** What the words alone find. */
export interface Locks {
  readonly swaps: readonly RescueEntry[];
  /** Every chain was searched as far back as it should be. */
  readonly isWhole: boolean;
}

export const noLocks: Locks = { swaps: [], isWhole: true };

/** The longest leg lives for a week, and its owner may take four more to run the command (facts/faults.md 308). */
const spanSeconds = 35 * day;
/** Blocks that are looked at in any case, and in one question. */
const blocks = { least: 700_000, atOnce: 10_000 } as const;
/** For so long, milliseconds, one chain is searched: one that tells slowly keeps nothing else from coming home. */
const searchMs = 1_800_000;

/**
 * Milliseconds before a question that failed is asked again: a search asks thousands of them, and the whole of it would
 * break off at one (facts/faults.md 317).
 */
const pausesMs = [2_000, 5_000, 15_000] as const;
/** RPCs of this machine answer at once, or not at all. */
const localPausesMs = [1, 1] as const;

/** Locks on EVM chains that are ours to take back. Each chain says how far it was searched, and why no further. */
export async function bySeed(
  ports: Ports,
  { evm, network: bitcoin }: Pick<Config, 'evm' | 'network'>,
  say: (line: string) => void,
): Promise<Locks> {
  let { swaps, isWhole } = noLocks;
  const pauses = bitcoin === 'regtest' ? localPausesMs : pausesMs;
  for (const [id, { contracts }] of Object.entries(evm)) {
    const network = evmNetwork(Number(id));
    const search: Search = { id: Number(id), network, contracts, ports, say, legs: [], first: null, pauses };
    try {
      await searchChain(search);
    } catch (cause) {
      if (!(cause instanceof PortFailure)) throw cause;
      isWhole = false;
      const rest = search.first === null ? '' : ` before block ${search.first}`;
      say(`Chain ${id} could not be searched for locks${rest}: ${cause.message.replace(/\.$/, '')}. Run this again.`);
    }
    swaps = [...swaps, ...search.legs.map((leg) => entryOf(leg, network))];
  }
  return { swaps, isWhole };
}

type Leg = Extract<RescueLeg, { on: 'evm' }>;

interface Search {
  readonly id: number;
  readonly network: EvmNetwork;
  readonly contracts: SwapContracts;
  readonly ports: Ports;
  readonly say: (line: string) => void;
  readonly pauses: readonly number[];
  /** In the order of the chain. */
  legs: Leg[];
  /** The first block that was searched; all from there on were. */
  first: number | null;
}

/** From the last block back, so that whatever breaks off leaves what was made last. */
async function searchChain(search: Search): Promise<void> {
  const { id, network, contracts, ports, say } = search;
  const { htlc } = contracts;
  const port = evmOf(ports, network);
  const taker = { key: walletKey, destination: takerAccountsOf(ports).accountOf(walletKey) };
  const { height } = await again(() => port.tip());
  const goal = Math.max(0, height - Math.max(blocks.least, mostBlocksIn(id, spanSeconds)));
  say(`Looking for locks on chain ${id}, from block ${goal} on.`);
  const began = performance.now();
  for (let to = height; to >= goal; to = (search.first ?? to) - 1) {
    if (performance.now() - began > searchMs)
      throw evmFailure('evm-away', 'safe', 'its RPCs give logs too slowly, give one that gives more of them at once');
    const from = Math.max(goal, to - blocks.atOnce + 1);
    await again(() => searchWhatIsThere(from, to));
  }

  async function searchWhatIsThere(from: number, to: number): Promise<void> {
    try {
      await searchPiece(from, to);
    } catch (cause) {
      if (failedOnEvm(cause, 'evm-pruned') && (await hasLogs(port, htlc, to)))
        await searchPiece(await firstWithLogs(port, htlc, { below: from, there: to }), to);
      throw cause;
    }
  }

  async function searchPiece(from: number, to: number): Promise<void> {
    search.legs = [...(await ownLocks(port, { network, contracts, from, to, taker })), ...search.legs];
    search.first = from;
  }

  /** Logs that nobody keeps come back no more than they did at first. */
  async function again<T>(ask: () => Promise<T>): Promise<T> {
    for (const ms of search.pauses)
      try {
        return await ask();
      } catch (cause) {
        if (!(cause instanceof PortFailure) || failedOnEvm(cause, 'evm-pruned')) throw cause;
        await pause(ms);
      }
    return ask();
  }
}

function entryOf(refund: Leg, network: EvmNetwork): RescueEntry {
  return {
    id: `lock ${toHex(swapKey(refund.lock)).slice(0, 16)}`,
    direction: `on ${network}`,
    role: refund.taker === undefined ? 'service' : 'client',
    secret: null,
    stored: null,
    claim: null,
    refund,
    shown: false,
  };
}
