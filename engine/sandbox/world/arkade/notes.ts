import { randomBytes } from 'node:crypto';
import { Script } from '@scure/btc-signer';
import { tapLeafHash } from '@scure/btc-signer/payment.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58 } from '@scure/base';
import { toHex } from '../../../domain/hex.ts';
import { type Sats } from '../../../domain/money.ts';
import { type Coin, settledCoin } from './coins.ts';
import { type Leaf, coinScriptOf } from './script.ts';

/**
 * A note: a voucher of the operator over an amount, good for whoever knows its preimage. It is a coin under one leaf
 * that asks for the preimage and no signature, named by the hash itself, and only a batch takes it.
 */
export interface Note {
  /** `arknote` and base58 of the preimage and the amount in four bytes, most significant first. */
  readonly text: string;
  readonly coin: Coin;
}

const prefix = 'arknote';
export const mostNoteSats = 0xffff_ffffn;

export function mintNote(amount: Sats, now: number): Note {
  const preimage = new Uint8Array(randomBytes(32));
  const hash = sha256(preimage);
  const value = new Uint8Array(4);
  new DataView(value.buffer).setUint32(0, Number(amount));
  const script = toHex(coinScriptOf([Script.encode(['SHA256', hash, 'EQUAL'])]).pkScript);
  const coin = settledCoin({
    txid: toHex(hash.toReversed()),
    vout: 0,
    amount,
    script,
    createdAt: now,
    expiresAt: 0,
    commitmentTxid: '',
  });
  return { text: prefix + base58.encode(Uint8Array.of(...preimage, ...value)), coin: { ...coin, commitmentTxids: [] } };
}

/** Notes never expire, which reads as having expired long ago: they always go through a batch, without a forfeit. */
export function isNote(coin: Coin): boolean {
  return coin.expiresAt === 0;
}

/** The leaf of a note, which is none of the five kinds that other coins have; null for any other script. */
export function noteLeafOf(script: Uint8Array): Leaf | null {
  const [operation, hash, comparison, ...rest] = Script.decode(script);
  if (
    operation !== 'SHA256' ||
    !(hash instanceof Uint8Array) ||
    hash.length !== 32 ||
    comparison !== 'EQUAL' ||
    rest.length > 0
  )
    return null;
  return { script, hash: tapLeafHash(script), keys: [], condition: script, locktime: null, delay: null };
}
