import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import type { TakerSwapRequest } from '../../../engine/contract/taker.ts';
import type { TakerDirection } from '../../../engine/domain/chain.ts';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { rpcAt } from '../../../engine/adapters/evm/rpc.ts';
import { readTransaction } from '../../../engine/runtime/networks/evm/variants.ts';
import { evmOf } from '../../../engine/runtime/ports.ts';
import { startPair, type Pair } from '../../taker/pair.ts';
import { startEvmWorld, type EvmWorld } from '../../support/evm/world.ts';
import { evmNetworkOfWorld } from '../../support/node-evm.ts';
import { startWorld } from '../../support/world.ts';
import { readChain, type ChainReader, type Mined } from './chain-reader.ts';
import { accountFaults } from './evm-verdict.ts';
import { nonceFaults } from './nonces.ts';

/** A story of a client that dies once, at one of its boundaries, and goes on from what its disk holds. */
export interface TakerStory {
  readonly direction: TakerDirection;
  readonly name: string;
  /** Ends with what is wrong with everybody's money; nothing is. */
  play(on: TakerPlay): Promise<string[]>;
}

export interface TakerPlay {
  readonly pair: Pair;
  /** From here on it may die. */
  arm(): void;
  /** Opens a swap before it may die; answers its id. */
  open(request: Omit<TakerSwapRequest, 'provider'>): Promise<string>;
  swap(id: string): Promise<TakerSwap>;
  /** What is in its store, of a life that has begun: while it is dead its database is shut. */
  stored<T>(read: (store: Pair['taker']['store']) => T): Promise<T>;
  /** Sats in its Arkade wallet, whichever life is asked. */
  balance(): Promise<bigint>;
  until(what: string, reached: () => boolean | Promise<boolean>): Promise<void>;
  reached(id: string, ...states: string[]): Promise<void>;
  /** Starts a client that was killed by the story itself. */
  restart(): Promise<void>;
  /** Fails where the story has no EVM chain. */
  readonly evm: { readonly world: EvmWorld; readonly reader: ChainReader };
}

/** What leaves it, and what is saved; whatever else there is only asks. */
const boundaries = {
  acts: /^(provider\.(create|cosign|signClaim|\w+OnEvm|\w+Together)|evm\.\w+|ark\.(submitTx|finalizeTx)|bitcoin\.broadcast(Package)?)$/,
  commits: /^commit$/,
};
const patienceMs = 120_000;

/** One run with a death at boundary `dieAt`; answers how many boundaries there were until it died, or at all. */
export async function playTaker(
  { direction, name, play }: TakerStory,
  dieAt: number,
  at: keyof typeof boundaries,
): Promise<number> {
  const world = startWorld();
  const chain = direction.includes('evm') ? await startEvmWorld(() => world.now()) : null;
  const onEvm = chain === null ? {} : { evm: chain };
  const onBitcoin = direction.includes('bitcoin') ? { bitcoinWallet: true as const } : {};
  let passed = 0;
  let armed = false;
  let where = 'nowhere';
  let next: Promise<void> | null = null;
  const pair = await startPair({
    world,
    provider: { ...onEvm, ...onBitcoin, untilMs: patienceMs },
    taker: { ...onEvm, ...onBitcoin, untilMs: patienceMs, pollMs: 25, onBoundary },
  });

  function onBoundary(what: string, moment: 'before' | 'after'): void {
    if (!armed || next !== null || !boundaries[at].test(what) || (passed += 1) !== dieAt) return;
    where = `${moment} ${what}`;
    next = pair.restartTaker({ onBoundary: () => undefined });
  }

  const reborn = (): Promise<void> => next ?? Promise.resolve();
  const on: TakerPlay = {
    pair,
    arm: () => void (armed = true),
    async open(request) {
      const created = await pair.taker.taker.create({ ...request, provider: '' });
      if (isRefusal(created)) throw new Error(created.sentence);
      return created.id;
    },
    async swap(id) {
      await reborn();
      const swap = pair.taker.taker.swap(id);
      if (swap === null || isRefusal(swap)) throw new Error('the swap is not listed');
      return swap;
    },
    async stored(read) {
      await reborn();
      return read(pair.taker.store);
    },
    async balance() {
      await reborn();
      try {
        return await pair.balance();
      } catch (cause) {
        if (next === null) throw cause;
        // It died while it was asked: its next life is.
        await reborn();
        return pair.balance();
      }
    },
    async until(what, reached) {
      for (const deadline = Date.now() + patienceMs; ; await pause(5)) {
        await reborn();
        if (await reached()) return;
        if (Date.now() > deadline)
          throw new Error(`${name}: no ${what}, died ${where} (${dieAt})\n${pair.taker.logged.slice(-12).join('\n')}`);
      }
    },
    reached: (id, ...states) => on.until(states.join(' or '), () => states.includes(pair.taker.at(id))),
    restart: () => pair.restartTaker(),
    get evm() {
      if (chain === null) throw new Error('there is no EVM chain');
      const { htlc, rpcUrl } = chain.endpoints;
      return { world: chain, reader: readChain('137', htlc, rpcAt(rpcUrl)) };
    },
  };

  try {
    const faults = await play(on);
    armed = false;
    await reborn();
    if (chain !== null) faults.push(...(await ownTransactionFaults(on)));
    expect(faults, `${direction}, ${name}, died ${where} (boundary ${dieAt})`).toEqual([]);
    return passed;
  } finally {
    armed = false;
    await reborn();
    await pair.stop();
    await chain?.stop();
  }
}

/** Of the node's own account on the chain: no gap, nothing that waits for ever, and the same count on its disk. */
async function ownTransactionFaults({ pair, evm: { reader }, until }: TakerPlay): Promise<string[]> {
  const account = `0x${toHex(evmOf(pair.taker.ports, evmNetworkOfWorld).account())}`;
  const wrong = async () => {
    const nonces = await reader.nonces(account);
    return [
      ...accountFaults('137', await reader.sent(account), nonces),
      ...nonceFaults(pair.taker.folder, [{ chainId: '137', ...nonces }]),
    ];
  };
  await until('account at rest', async () => (await wrong()).length === 0);
  return wrong();
}

/** Of an account that signs for swaps: no gap, and one approval at most, of which no second is anywhere. */
export async function signerFaults({ pair, evm: { reader } }: TakerPlay, account: string): Promise<string[]> {
  const sent = await reader.sent(account);
  const nonces = await reader.nonces(account);
  const { transactions } = pair.taker.store;
  const signed = [...transactions.onTheWay('taker-approve'), ...swapIds(pair).flatMap((id) => transactions.of(id))]
    .filter(({ purpose }) => purpose === 'taker-approve')
    // Bytes of what is over are not kept: of those the chain tells.
    .flatMap(({ txid }) => transactions.bytes(txid) ?? [])
    .map((bytes) => readTransaction(bytes).nonce);
  const approvals = sent.filter(isApproval).length;
  return [
    ...(approvals > 1 ? [`the approval was sent ${approvals} times`] : []),
    ...(new Set(signed).size > 1 ? [`approvals were signed for the nonces ${signed.join()}`] : []),
    ...(nonces.pending > sent.length
      ? [`${nonces.pending} nonces are used, and ${sent.length} transactions mined`]
      : []),
  ];
}

function isApproval({ act }: Mined): boolean {
  return act === null;
}

function swapIds(pair: Pair): string[] {
  return pair.taker.store.swaps.page({ limit: 20 }).map(({ id }) => id);
}
