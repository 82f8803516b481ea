import { createHash } from 'node:crypto';
import { CompactSize, RawTx, Script, ScriptNum } from '@scure/btc-signer';

export interface BlockPlan {
  readonly height: number;
  /** Hash as it is displayed. */
  readonly parent: string;
  /** Unix seconds. */
  readonly time: number;
  /** Where the coinbase pays to. */
  readonly script: Uint8Array;
  /** Parents before children. */
  readonly transactions: readonly Uint8Array[];
}

export interface Block {
  readonly hash: string;
  readonly hex: string;
  readonly coinbase: { readonly txid: string; readonly amount: bigint };
}

/** Regtest's easiest target, and a version that signals csv, segwit and taproot (bits 0, 1, 2 of BIP-9). */
const bits = 0x207fffff;
/** What `bits` stands for: a mantissa of three bytes, shifted to 32. */
const target = BigInt(bits & 0xffffff) << BigInt(8 * ((bits >>> 24) - 3));
const version = 0x20000007;
const halving = 150;
/** BIP-141: the commitment output begins with OP_RETURN, a push of 36 bytes and this tag. */
const commitmentTag = Uint8Array.of(0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed);

let salt = 0;

/** A whole block, ready for `submitblock`. Fees are left unclaimed. */
export function assembleBlock(plan: BlockPlan): Block {
  const segwit = plan.transactions.some((bytes) => RawTx.decode(bytes).segwitFlag === true);
  const amount = (50n * 100_000_000n) >> BigInt(Math.floor(plan.height / halving));
  const wtxids = [new Uint8Array(32), ...plan.transactions.map(hash256)];
  const commitment = hash256(concat(merkleRoot(wtxids), new Uint8Array(32)));
  const coinbase = {
    version: 2,
    segwitFlag: segwit,
    inputs: [
      { txid: new Uint8Array(32), index: 0xffffffff, finalScriptSig: heightScript(plan.height), sequence: 0xffffffff },
    ],
    outputs: [
      { amount, script: plan.script },
      ...(segwit ? [{ amount: 0n, script: concat(commitmentTag, commitment) }] : []),
    ],
    witnesses: segwit ? [[new Uint8Array(32)]] : undefined,
    lockTime: 0,
  };
  const full = RawTx.encode(coinbase);
  const txids = [full, ...plan.transactions].map(txidBytes);
  const header = grind(plan, merkleRoot(txids));
  const body = [CompactSize.encode(BigInt(txids.length)), full, ...plan.transactions];
  return {
    hash: hex(reversed(hash256(header))),
    hex: Buffer.concat([header, ...body]).toString('hex'),
    coinbase: { txid: txidOf(full), amount },
  };
}

/** As it is displayed. */
export function txidOf(bytes: Uint8Array): string {
  return hex(reversed(txidBytes(bytes)));
}

function txidBytes(bytes: Uint8Array): Uint8Array {
  return hash256(RawTx.encode({ ...RawTx.decode(bytes), segwitFlag: false, witnesses: undefined }));
}

/** Parents before children, as a block wants them. */
export function inOrder(transactions: readonly Uint8Array[]): Uint8Array[] {
  const rest = new Map(transactions.map((bytes) => [txidOf(bytes), bytes]));
  const sorted: Uint8Array[] = [];
  function take(txid: string): void {
    const bytes = rest.get(txid);
    if (bytes === undefined) return;
    rest.delete(txid);
    for (const input of RawTx.decode(bytes).inputs) take(hex(input.txid));
    sorted.push(bytes);
  }
  for (const txid of [...rest.keys()]) take(txid);
  return sorted;
}

function grind(plan: BlockPlan, root: Uint8Array): Uint8Array {
  const header = new Uint8Array(80);
  const view = new DataView(header.buffer);
  view.setUint32(0, version, true);
  header.set(reversed(fromHex(plan.parent)), 4);
  header.set(root, 36);
  view.setUint32(68, plan.time, true);
  view.setUint32(72, bits, true);
  for (let nonce = 0; ; nonce++) {
    view.setUint32(76, nonce, true);
    if (meetsTarget(hash256(header))) return header;
  }
}

/**
 * Whether a hash, in the order of its bytes, is at most the whole target: its highest bytes are 7f ff ff, and all below
 * them are zero.
 */
export function meetsTarget(hash: Uint8Array): boolean {
  return BigInt(`0x${hex(reversed(hash))}`) <= target;
}

/** BIP-34, and a number that no other block of this process has, so that two blocks on one parent differ. */
function heightScript(height: number): Uint8Array {
  salt += 1;
  const pushed = height <= 16 ? height : ScriptNum().encode(BigInt(height));
  return Script.encode([pushed, Uint8Array.of(...new Uint8Array(new Uint32Array([salt, process.pid]).buffer))]);
}

function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  let row = [...leaves];
  while (row.length > 1) {
    row = Array.from({ length: Math.ceil(row.length / 2) }, (_, i) =>
      hash256(concat(at(row, 2 * i), at(row, Math.min(2 * i + 1, row.length - 1)))),
    );
  }
  return at(row, 0);
}

function at(row: readonly Uint8Array[], index: number): Uint8Array {
  const leaf = row[index];
  if (leaf === undefined) throw new RangeError(`no leaf ${index}`);
  return leaf;
}

function hash256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(createHash('sha256').update(bytes).digest()).digest());
}

const concat = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));
const reversed = (bytes: Uint8Array) => Uint8Array.from(bytes).reverse();
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const fromHex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));
