import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { type Anvil, AnvilError, startAnvil } from './anvil.ts';
import type { BlockRow, ChainRecord } from './record.ts';

/** States that anvil keeps in memory, 0.2 MB each: as far back as a call may ask, and a reorganisation reach. */
const statesKept = 128;

export interface Header {
  readonly number: number;
  readonly hash: Hex;
  readonly timestamp: number;
}

/** Anvil with a chain as the record has it: every block with its hash, and every transaction that waits. */
export async function raiseChain(chainId: number, genesis: unknown, record: ChainRecord): Promise<Anvil> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-evm-'));
  try {
    const file = join(folder, 'genesis.json');
    writeFileSync(file, JSON.stringify(genesis));
    const anvil = await startAnvil([
      ...['--chain-id', `${chainId}`, '--init', file, '--hardfork', 'cancun', '--accounts', '0', '--no-mining'],
      ...['--prune-history', `${statesKept}`, '--no-priority-fee'],
      // One block is final there: a reorganisation that put a claim before its lock would undo what is.
      ...['--order', 'fifo'],
    ]);
    try {
      await replay(anvil, chainId, record);
    } catch (error) {
      await anvil.stop();
      throw error;
    }
    return anvil;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function replay(anvil: Anvil, chainId: number, record: ChainRecord): Promise<void> {
  const checkpoint = record.checkpoint();
  if (checkpoint !== null) await anvil.call('anvil_loadState', checkpoint.state);
  await openPool(anvil);
  for (const row of record.blocks()) {
    const hash = await makeBlock(anvil, row);
    if (hash !== row.hash)
      throw new Error(
        `Block ${row.number} of chain ${chainId} was ${row.hash} and came back as ${hash}: start afresh with POST ` +
          '/sandbox/reset or another folder.',
      );
  }
  for (const raw of record.waiting()) {
    try {
      await anvil.call('eth_sendRawTransaction', raw);
    } catch (error) {
      if (!(error instanceof AnvilError)) throw error;
      record.forget(raw); // Another one of its sender took its place.
    }
  }
}

/** Makes the one block of this row and answers its hash. */
async function makeBlock(anvil: Anvil, { before, transactions, baseFee, timestamp, after }: BlockRow): Promise<Hex> {
  for (const [method, ...params] of before) await anvil.call(method, ...params);
  for (const raw of transactions) await anvil.call('eth_sendRawTransaction', raw);
  const { header } = await mineBlock(anvil, baseFee, timestamp);
  await openPool(anvil);
  for (const [method, ...params] of after) await anvil.call(method, ...params);
  return header.hash;
}

export interface MinedBlock {
  readonly header: Header;
  readonly transactions: readonly Hex[];
}

/**
 * Anvil keeps nothing waiting that pays less than its next base fee; nodes do. So that is zero until a block is made
 * (facts/evm.md 21).
 */
export async function openPool(anvil: Anvil): Promise<void> {
  await anvil.call('anvil_setNextBlockBaseFeePerGas', '0x0');
}

/** A block of whatever waits, at exactly this price and time. */
export async function mineBlock(anvil: Anvil, baseFee: Hex, timestamp: number): Promise<MinedBlock> {
  await anvil.call('anvil_setNextBlockBaseFeePerGas', baseFee);
  await anvil.call('evm_mine', { timestamp });
  return latestBlock(anvil);
}

export async function latestBlock(anvil: Anvil): Promise<MinedBlock> {
  const { number, hash, timestamp, transactions } = (await anvil.call('eth_getBlockByNumber', 'latest', false)) as {
    number: Hex;
    hash: Hex;
    timestamp: Hex;
    transactions: Hex[];
  };
  return { header: { number: Number(number), hash, timestamp: Number(timestamp) }, transactions };
}
