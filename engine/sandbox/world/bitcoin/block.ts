import { fromHex, toHex } from '../../../domain/hex.ts';
import { type Sats, noSats, sats } from '../../../domain/money.ts';
import { type Header, doubleHash, headerBytes, headerOf, merkleRoot, mineHeader } from './header.ts';
import { type Tx, parseTx, varint, writeTx } from './tx.ts';

/** A block of the sandbox's chain, its coinbase first. */
export interface Block extends Header {
  readonly transactions: readonly Tx[];
}

export interface BlockPlan {
  readonly time: number;
  readonly mtp: number;
  /** Who gets subsidy and fees; in the first block the faucet's money. */
  readonly payee: Uint8Array;
  readonly fees: Sats;
  readonly transactions: readonly Tx[];
  /** Tells apart blocks that are alike in all else, as two branches of a reorg may be. */
  readonly branch: number;
}

const firstSubsidy = 5_000_000_000n;
/** Regtest's, from Bitcoin Core's chainparams.cpp. */
const halvingInterval = 150;
/** The faucet's money, in the first block's coinbase: more than the subsidy, which no client of the sandbox adds up. */
const treasury = { coins: 100, each: sats(100_000_000_000) };
const nowhere = { txid: '00'.repeat(32), vout: 0xffffffff };
const noWitness = new Uint8Array(32);

/** The regtest genesis block as Bitcoin Core's chainparams.cpp has it. */
export const genesis: Block = {
  ...headerOf(
    headerBytes(1, null, '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b', 1296688602, 2),
    0,
    1296688602,
  ),
  transactions: [
    parseTx(
      fromHex(
        '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000',
      ),
    ),
  ],
};

export function mineBlock(previous: Header, plan: BlockPlan): Block {
  const transactions = [coinbase(previous.height + 1, plan), ...plan.transactions];
  return {
    ...mineHeader(previous, merkleRoot(transactions.map(({ txid }) => txid)), plan.time, plan.mtp),
    transactions,
  };
}

export function blockBytes(block: Block): Uint8Array {
  return new Uint8Array(
    Buffer.concat([block.header, varint(block.transactions.length), ...block.transactions.map(({ bytes }) => bytes)]),
  );
}

/**
 * Height first in the input script (BIP-34), what it may take in the first output, the witness commitment after
 * (BIP-141).
 */
function coinbase(height: number, { payee, fees, transactions, branch }: BlockPlan): Tx {
  const reward = { amount: sats(subsidy(height) + fees), script: payee };
  const money =
    height === 1 ? Array.from({ length: treasury.coins }, () => ({ amount: treasury.each, script: payee })) : [reward];
  const commits = transactions.some(({ txid, wtxid }) => txid !== wtxid);
  const commitment = commits ? [{ amount: noSats, script: commitmentScript(transactions) }] : [];
  return parseTx(
    writeTx({
      version: 2,
      inputs: [{ spends: nowhere, sequence: 0xffffffff, witness: commits ? [noWitness] : [] }],
      inputScript: Uint8Array.of(...pushNumber(height), ...pushNumber(branch)),
      outputs: [...money, ...commitment],
    }),
  );
}

function subsidy(height: number): bigint {
  return firstSubsidy >> BigInt(Math.floor(height / halvingInterval));
}

function commitmentScript(transactions: readonly Tx[]): Uint8Array {
  const root = fromHex(merkleRoot([toHex(noWitness), ...transactions.map(({ wtxid }) => wtxid)])).reverse();
  return Uint8Array.of(0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed, ...doubleHash(Buffer.concat([root, noWitness])));
}

function pushNumber(value: number): Uint8Array {
  if (value === 0) return Uint8Array.of(0);
  if (value <= 16) return Uint8Array.of(0x50 + value);
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  if (((bytes.at(-1) ?? 0) & 0x80) !== 0) bytes.push(0);
  return Uint8Array.of(bytes.length, ...bytes);
}
