import { toHex } from '../../../domain/hex.ts';
import { addressOf } from '../../world/bitcoin/address.ts';
import type { Block } from '../../world/bitcoin/block.ts';
import type { BitcoinWorld } from '../../world/bitcoin/chain.ts';
import { difficultyBits, versionOf } from '../../world/bitcoin/header.ts';
import { kindOf } from '../../world/bitcoin/script-kind.ts';
import { type Tx, type TxOutput, isCoinbase, totalOut } from '../../world/bitcoin/tx.ts';

export function blockJson(block: Block): unknown {
  const size = 81 + block.transactions.reduce((sum, { bytes }) => sum + bytes.length, 0);
  return {
    id: block.hash,
    height: block.height,
    version: versionOf(block),
    timestamp: block.time,
    tx_count: block.transactions.length,
    size,
    weight: 81 * 4 + block.transactions.reduce((sum, { weight }) => sum + weight, 0),
    merkle_root: block.merkleRoot,
    previousblockhash: block.previous,
    mediantime: block.mtp,
    nonce: block.nonce,
    bits: difficultyBits,
    difficulty: 0,
  };
}

export function statusJson(world: BitcoinWorld, height: number | null): unknown {
  const block = height === null ? undefined : world.at(height);
  return block === undefined
    ? { confirmed: false }
    : { confirmed: true, block_height: block.height, block_hash: block.hash, block_time: block.time };
}

export function txJson(world: BitcoinWorld, tx: Tx, height: number | null): unknown {
  const coinbase = isCoinbase(tx);
  const spent = tx.inputs.map(({ spends }) => world.transaction(spends.txid)?.tx.outputs[spends.vout]);
  const paidIn = spent.reduce((sum, output) => sum + (output?.amount ?? 0n), 0n);
  return {
    txid: tx.txid,
    version: tx.version,
    locktime: tx.locktime,
    vin: tx.inputs.map((input, i) => ({
      txid: input.spends.txid,
      vout: input.spends.vout,
      prevout: spent[i] === undefined ? null : outputJson(spent[i]),
      scriptsig: toHex(input.script),
      scriptsig_asm: '',
      ...(input.witness.length === 0 ? {} : { witness: input.witness.map(toHex) }),
      is_coinbase: coinbase,
      sequence: input.sequence,
    })),
    vout: tx.outputs.map(outputJson),
    size: tx.bytes.length,
    weight: tx.weight,
    // What an unchecked transaction spends may be known to nobody.
    fee: coinbase || spent.includes(undefined) ? 0 : Number(paidIn - totalOut(tx)),
    status: statusJson(world, height),
  };
}

export function outspendJson(world: BitcoinWorld, txid: string, vout: number): unknown {
  const spend = world.spend({ txid, vout });
  return spend === undefined
    ? { spent: false }
    : { spent: true, txid: spend.txid, vin: spend.vin, status: statusJson(world, spend.height) };
}

/** Sums over what a script received and paid, in blocks and in the mempool. */
export function statsJson(world: BitcoinWorld, script: Uint8Array): { chain_stats: unknown; mempool_stats: unknown } {
  const { confirmed, waiting } = world.history(script);
  return { chain_stats: stats(world, script, confirmed), mempool_stats: stats(world, script, waiting) };
}

export function utxosJson(world: BitcoinWorld, script: Uint8Array): unknown[] {
  return world
    .coinsOf(script)
    .map(({ outpoint, amount, height }) => ({ ...outpoint, status: statusJson(world, height), value: Number(amount) }));
}

function outputJson({ amount, script }: TxOutput): unknown {
  const address = addressOf(script);
  return {
    scriptpubkey: toHex(script),
    scriptpubkey_asm: '',
    scriptpubkey_type: kindOf(script),
    ...(address === null ? {} : { scriptpubkey_address: address }),
    value: Number(amount),
  };
}

function stats(world: BitcoinWorld, script: Uint8Array, txids: readonly string[]): unknown {
  const wanted = toHex(script);
  const all = txids.flatMap((txid) => world.transaction(txid)?.tx ?? []);
  const funded = all.flatMap((tx) => tx.outputs).filter((output) => toHex(output.script) === wanted);
  const spent = all
    .flatMap((tx) => tx.inputs.flatMap(({ spends }) => world.transaction(spends.txid)?.tx.outputs[spends.vout] ?? []))
    .filter((output) => toHex(output.script) === wanted);
  return {
    funded_txo_count: funded.length,
    funded_txo_sum: total(funded),
    spent_txo_count: spent.length,
    spent_txo_sum: total(spent),
    tx_count: all.length,
  };
}

function total(outputs: readonly TxOutput[]): number {
  return Number(outputs.reduce((sum, { amount }) => sum + amount, 0n));
}
