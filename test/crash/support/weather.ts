import { setTimeout as pause } from 'node:timers/promises';
import { hasBitcoin } from './bitcoin-oracle.ts';
import type { WireDirection } from './directions.ts';
import type { Oracle } from './oracle.ts';
import type { Stage } from './scenario.ts';

/** A reorganisation of the sandbox's Bitcoin chain never reaches what is buried. */
const deepestOnBitcoin = 5;
/** Sats per virtual byte. */
const highestFee = 4;
/** Swaps whose transactions may still be driven out. */
const recent = 12;

/**
 * What the chains do to everybody meanwhile: what is sent is lost, an RPC goes away, blocks are replaced, fees rise.
 */
export async function weather(
  stage: Stage,
  oracle: Oracle,
  { chains, onBitcoin }: Pick<WireDirection, 'chains' | 'onBitcoin'>,
  isOver: () => boolean,
): Promise<void> {
  const {
    wallet: { controls },
    chance,
  } = stage;
  const depth = () => 1 + Math.floor(chance.next() * deepestOnBitcoin);
  const onEvm: Record<string, () => Promise<void>> = {
    async drops() {
      await controls.evmFault(chance.pick(chains), { next_transaction: 'drops' });
    },
    async away() {
      const chain = chance.pick(chains);
      await controls.evmFault(chain, { rpc: 'away' });
      await pause(chance.between(500, 4_000));
      await controls.evmFault(chain, { rpc: 'back' });
    },
    async reorg() {
      await controls.evmReorg(chance.pick(chains), 1 + Math.floor(chance.next() * 2));
    },
  };
  const bitcoin: Record<string, () => Promise<void>> = {
    /**
     * For a moment: a client pays once and raises nothing, and where blocks are dear most of the time and replaced all
     * the time, its coin is in none of them for minutes, and nothing may be given for it.
     */
    async fees() {
      await controls.setFees(Math.ceil(chance.between(1, highestFee)));
      await pause(chance.between(1_000, 8_000));
      await controls.setFees(1);
    },
    async reorg() {
      await controls.reorg(depth());
    },
    /** What takes an HTLC's coin, or pays ours, is on the chain no more, and in no mempool. */
    async evictions() {
      const txids: string[] = [];
      for (const { direction, record } of stage.scenarios.filter((one) => hasBitcoin(one.record)).slice(-recent))
        for (const { outpoint, by } of (await oracle.bitcoin.legOf(record)) ?? [])
          txids.push(
            ...(by === null ? [] : [by.txid]),
            ...(direction === 'evm-bitcoin' ? outpoint.split(':').slice(0, 1) : []),
          );
      await controls.reorg(
        depth(),
        txids.filter(() => chance.next() < 0.5),
      );
    },
  };
  const kinds = [...(chains.length === 0 ? [] : Object.values(onEvm)), ...(onBitcoin ? Object.values(bitcoin) : [])];
  if (kinds.length === 0) return;
  while (!isOver()) {
    await pause(chance.between(500, 4_000));
    await chance.pick(kinds)();
  }
  if (onBitcoin) await controls.setFees(1);
}

/** Blocks come by themselves, much faster than they do, until it is stopped. */
export function startMiner({ wallet: { controls }, chance }: Stage): () => Promise<void> {
  let isOver = false;
  const mining = (async () => {
    while (!isOver) {
      await pause(chance.between(300, 1_500));
      await controls.mine(1);
    }
  })();
  mining.catch(() => undefined); // told where it is stopped
  return async () => {
    isOver = true;
    await mining;
  };
}
