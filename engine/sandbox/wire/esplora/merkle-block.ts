import { fromHex } from '../../../domain/hex.ts';
import type { Block } from '../../world/bitcoin/block.ts';
import { merkleRoot } from '../../world/bitcoin/header.ts';
import { varint } from '../../world/bitcoin/tx.ts';

/**
 * A block's header with the part of its tree that proves one transaction, as the `merkleblock` message has it (BIP-37).
 */
export function merkleBlock({ header, transactions }: Block, txid: string): Uint8Array {
  const rows = [transactions.map((tx) => tx.txid)];
  for (let row = rows[0] ?? []; row.length > 1; rows.push(row))
    row = Array.from({ length: Math.ceil(row.length / 2) }, (_, i) => {
      const left = row[2 * i] ?? '';
      return merkleRoot([left, row[2 * i + 1] ?? left]);
    });
  const at = rows[0]?.indexOf(txid) ?? -1;
  const hashes: Uint8Array[] = [];
  const flags: boolean[] = [];

  /** From the root down, left before right: a node above the transaction is opened, any other is given by its hash. */
  function walk(height: number, position: number): void {
    const id = rows[height]?.[position];
    if (id === undefined) return;
    const leads = at >> height === position;
    flags.push(leads);
    if (height > 0 && leads) {
      walk(height - 1, 2 * position);
      walk(height - 1, 2 * position + 1);
    } else hashes.push(fromHex(id).reverse());
  }
  walk(rows.length - 1, 0);

  const count = new Uint8Array(4);
  new DataView(count.buffer).setUint32(0, transactions.length, true);
  const bits = new Uint8Array(Math.ceil(flags.length / 8));
  for (const [i, flag] of flags.entries()) if (flag) bits[i >> 3] = (bits[i >> 3] ?? 0) | (1 << (i & 7));
  return new Uint8Array(Buffer.concat([header, count, varint(hashes.length), ...hashes, varint(bits.length), bits]));
}
