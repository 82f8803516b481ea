import { createHash } from 'node:crypto';
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { RawTx, Transaction, p2tr, p2wpkh } from '@scure/btc-signer';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { type BitcoinWorld, createBitcoin } from '../../engine/sandbox/world/bitcoin/chain.ts';
import { createTime } from '../../engine/sandbox/world/clock.ts';
import type { Journal } from '../../engine/sandbox/world/journal.ts';
import { memoryJournal } from '../support/memory-journal.ts';
import { startOfTests } from './worlds.ts';

export const network = { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef };

/** A chain of 101 blocks, on a wall clock that stands still. */
export function openChain(journal: Journal = memoryJournal()): BitcoinWorld {
  return createBitcoin({ journal, time: createTime(journal, () => startOfTests) });
}

export interface Wallet {
  readonly secret: Uint8Array;
  readonly key: Uint8Array;
  readonly xOnly: Uint8Array;
  readonly script: Uint8Array;
  readonly address: string;
}

export interface Funds {
  readonly outpoint: Outpoint;
  readonly amount: bigint;
}

export function walletOf(name: string, kind: 'p2wpkh' | 'p2tr' = 'p2wpkh'): Wallet {
  const secret = new Uint8Array(createHash('sha256').update(name).digest());
  const [key, xOnly] = [secp256k1.getPublicKey(secret, true), schnorr.getPublicKey(secret)];
  const payment = kind === 'p2tr' ? p2tr(xOnly, undefined, network) : p2wpkh(key, network);
  return { secret, key, xOnly, script: payment.script, address: payment.address ?? '' };
}

/** Pay-to-anchor, which anyone may spend. */
export const anchor = { script: Uint8Array.of(0x51, 0x02, 0x4e, 0x73), amount: 0n };

/** Pays a script out of the faucet, unconfirmed. */
export function fund(chain: BitcoinWorld, script: Uint8Array, amount: bigint): Funds {
  const outpoint = chain.faucet(script, sats(amount));
  if (outpoint === null) throw new Error('the faucet is dry');
  return { outpoint, amount };
}

export interface Payment {
  readonly from: Wallet;
  readonly funds: readonly Funds[];
  readonly to?: readonly { script: Uint8Array; amount: bigint }[];
  readonly fee?: bigint;
  readonly version?: number;
  readonly locktime?: number;
  readonly sequence?: number;
  /** Anchors spent beside the funds. */
  readonly anchors?: readonly Outpoint[];
}

/** Signed bytes that spend funds of one wallet; without outputs named, all of it goes back to the wallet. */
export function pay({
  from,
  funds,
  fee = 1_000n,
  version = 2,
  locktime = 0,
  sequence = 0xfffffffd,
  to,
  anchors = [],
}: Payment): Uint8Array {
  const tx = new Transaction({ version, lockTime: locktime, allowUnknownOutputs: true, allowUnknownInputs: true });
  for (const { outpoint, amount } of funds) {
    tx.addInput({
      txid: outpoint.txid,
      index: outpoint.vout,
      sequence,
      witnessUtxo: { script: from.script, amount },
      ...(from.script.length === 34 ? { tapInternalKey: from.xOnly } : {}),
    });
  }
  const total = funds.reduce((sum, { amount }) => sum + amount, 0n);
  for (const output of to ?? [{ script: from.script, amount: total - fee }]) tx.addOutput(output);
  for (const { txid, vout } of anchors) tx.addInput({ txid, index: vout, sequence, witnessUtxo: anchor });
  tx.sign(from.secret);
  for (const i of funds.keys()) tx.finalizeIdx(i);
  return tx.toBytes(true, true);
}

/** The same bytes with something changed in the decoded transaction. */
export function tampered(bytes: Uint8Array, change: (raw: ReturnType<typeof RawTx.decode>) => void): Uint8Array {
  const raw = RawTx.decode(bytes.slice());
  change(raw);
  return RawTx.encode(raw);
}
