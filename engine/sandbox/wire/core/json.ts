import { toHex } from '../../../domain/hex.ts';
import { addressOf } from '../../world/bitcoin/address.ts';
import type { Block } from '../../world/bitcoin/block.ts';
import type { BitcoinWorld } from '../../world/bitcoin/chain.ts';
import { difficultyBits, versionOf } from '../../world/bitcoin/header.ts';
import { kindOf } from '../../world/bitcoin/script-kind.ts';
import { type Tx, isCoinbase } from '../../world/bitcoin/tx.ts';

/** Regtest's, as Core prints it for the easiest target. */
const difficulty = 4.656542373906925e-10;

/** Satoshis as Core's JSON has them. */
export function bitcoins(amount: bigint): number {
  return Number(amount) / 1e8;
}

/** Two hashes are the work of every block at regtest's target. */
export function chainwork(height: number): string {
  return ((BigInt(height) + 1n) * 2n).toString(16).padStart(64, '0');
}

/** How deep a block is, -1 off the best chain. */
export function confirmations(world: BitcoinWorld, block: Block): number {
  return world.at(block.height)?.hash === block.hash ? world.tip().height - block.height + 1 : -1;
}

export function headerJson(world: BitcoinWorld, block: Block): Record<string, unknown> {
  const depth = confirmations(world, block);
  const next = depth > 0 ? world.at(block.height + 1) : undefined;
  return {
    hash: block.hash,
    confirmations: depth,
    height: block.height,
    version: versionOf(block),
    versionHex: (versionOf(block) >>> 0).toString(16).padStart(8, '0'),
    merkleroot: block.merkleRoot,
    time: block.time,
    mediantime: block.mtp,
    nonce: block.nonce,
    bits: difficultyBits.toString(16),
    difficulty,
    chainwork: chainwork(block.height),
    nTx: block.transactions.length,
    ...(block.previous === null ? {} : { previousblockhash: block.previous }),
    ...(next === undefined ? {} : { nextblockhash: next.hash }),
  };
}

export function scriptJson(script: Uint8Array): Record<string, unknown> {
  const kinds = {
    p2pkh: 'pubkeyhash',
    p2sh: 'scripthash',
    v0_p2wpkh: 'witness_v0_keyhash',
    v0_p2wsh: 'witness_v0_scripthash',
    v1_p2tr: 'witness_v1_taproot',
    anchor: 'anchor',
    op_return: 'nulldata',
    unknown: 'nonstandard',
  } as const;
  const address = addressOf(script);
  return { asm: '', hex: toHex(script), ...(address === null ? {} : { address }), type: kinds[kindOf(script)] };
}

export function txJson(tx: Tx): Record<string, unknown> {
  return {
    txid: tx.txid,
    hash: tx.wtxid,
    version: tx.version,
    size: tx.bytes.length,
    vsize: tx.vsize,
    weight: tx.weight,
    locktime: tx.locktime,
    vin: tx.inputs.map(({ spends, script, witness, sequence }) => ({
      ...(isCoinbase(tx)
        ? { coinbase: toHex(script) }
        : { txid: spends.txid, vout: spends.vout, scriptSig: { asm: '', hex: toHex(script) } }),
      ...(witness.length === 0 ? {} : { txinwitness: witness.map(toHex) }),
      sequence,
    })),
    vout: tx.outputs.map(({ amount, script }, n) => ({ value: bitcoins(amount), n, scriptPubKey: scriptJson(script) })),
    hex: toHex(tx.bytes),
  };
}
