import { fromHex } from '../../domain/hex.ts';
import { sats } from '../../domain/money.ts';
import { cutWords, mostLooked } from '../../domain/words.ts';
import type { ChainCoin } from '../../legs/onchain/port.ts';
import { isCount, isHash } from './core-chain.ts';
import { type Header, readHeader } from './headers.ts';
import type { MerkleProof } from './merkle.ts';

export interface Block {
  readonly id: string;
  readonly height: number;
  readonly time: number;
  readonly mediantime: number | null;
  readonly previous: string | null;
}

export async function textOf(answer: Response, mostBytes: number, onBytes: (size: number) => void): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (answer.body === null) return '';
  for await (const chunk of answer.body) {
    chunks.push(chunk);
    size += chunk.length;
    onBytes(size);
    if (size > mostBytes) throw new Error(`it answered more than ${mostBytes} bytes`);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Esplora hands on what its node said, as `sendrawtransaction RPC error: {"code":-26,"message":"…"}`. */
export function rejectionIn(text: string): { code: number; message: string } {
  const words = cutWords(text, mostLooked);
  try {
    const json = words.slice(words.indexOf('{'), words.lastIndexOf('}') + 1);
    const { code, message } = JSON.parse(json) as { code?: unknown; message?: unknown };
    if (typeof code === 'number' && typeof message === 'string') return { code, message: cutWords(message) };
  } catch {
    // No JSON in it: some servers give the text alone.
  }
  return { code: 0, message: cutWords(words) };
}

export function blocksOf(text: string): Block[] {
  return listOf(text).map((row) => {
    const { id, height, timestamp, mediantime, previousblockhash } = row;
    if (!isHash(id) || !isCount(height) || !isCount(timestamp)) throw new Error('it answered a malformed block');
    return {
      id,
      height,
      time: timestamp,
      mediantime: isCount(mediantime) ? mediantime : null,
      previous: isHash(previousblockhash) ? previousblockhash : null,
    };
  });
}

/** The headers of a page of blocks, linked: what is shown of a block in JSON makes up its 80 bytes. */
export function headersOf(text: string): Header[] {
  const headers: Header[] = [];
  for (const { id, version, timestamp, bits, nonce, merkle_root: root, previousblockhash: previous } of listOf(text)) {
    if (
      !isHash(id) ||
      !isHash(root) ||
      ![version, timestamp, bits, nonce].every((value) => typeof value === 'number' && Number.isSafeInteger(value))
    )
      throw new Error('it answered a malformed block');
    const bytes = new Uint8Array(80);
    const view = new DataView(bytes.buffer);
    view.setInt32(0, Number(version), true);
    bytes.set(isHash(previous) ? fromHex(previous).reverse() : new Uint8Array(32), 4);
    bytes.set(fromHex(root).reverse(), 36);
    for (const [at, value] of [
      [68, timestamp],
      [72, bits],
      [76, nonce],
    ] as const)
      view.setUint32(at, Number(value), true);
    const header = readHeader(bytes, id);
    if (headers.length > 0 && headers.at(-1)?.previous !== id)
      throw new Error('it answered blocks that do not follow each other');
    headers.push(header);
  }
  return headers;
}

export function proofIn(answer: unknown): MerkleProof {
  const { block_height: height, merkle, pos } = answer as { block_height?: unknown; merkle?: unknown; pos?: unknown };
  if (!isCount(height) || !isCount(pos) || !Array.isArray(merkle) || !merkle.every(isHash))
    throw new Error('it answered a malformed proof');
  return { height, position: pos, branch: merkle };
}

export function coinOf(row: Record<string, unknown>, script: Uint8Array): ChainCoin {
  const { txid, vout, value, status } = row;
  if (!isCount(vout) || !isCount(value)) throw new Error('it answered a malformed coin');
  return { outpoint: { txid: hashIn(txid), vout }, script, amount: sats(value), height: heightIn(status).height };
}

export function heightIn(status: unknown): { height: number | null } {
  const { confirmed, block_height: height } = (status ?? {}) as { confirmed?: unknown; block_height?: unknown };
  if (confirmed === false) return { height: null };
  if (confirmed !== true || !isCount(height)) throw new Error('it does not say whether a transaction is confirmed');
  return { height };
}

export function hashIn(value: unknown): string {
  if (!isHash(value)) throw new Error('it answered no hash');
  return value;
}

export function listOf(text: string): Record<string, unknown>[] {
  const rows: unknown = JSON.parse(text);
  if (!Array.isArray(rows)) throw new Error('it answered no list');
  return rows.map((row: unknown) => (typeof row === 'object' && row !== null ? (row as Record<string, unknown>) : {}));
}
