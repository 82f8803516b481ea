import { type EvmAddress, asEvmAddress } from '../../domain/evm.ts';
import { asSha256, sameBytes } from '../../domain/hash.ts';
import { fromHex, toHex } from '../../domain/hex.ts';
import type { LockEvent } from '../../legs/evm/port.ts';
import { swapKey } from '../../legs/evm/swap-key.ts';
import { preimageMatches } from '../../legs/secret.ts';
import { asAddress, asBytes, asCount, asFields, asHash } from './read.ts';

/** The three events of an HTLC as versions 4 and later have them, and those of the native coin (facts/evm.md 2). */
const topics = {
  created: '127ba86dffa89675eb78a2ca7203c29f865789ebec607b9424ed9f8d3d533e9f',
  redeemed: '935f11873f0f4154186d30d8d4181c7694ac59f800873f9c44b0a5122043660a',
  refunded: 'db5ade4effa253aae9bef95994b76da3fe75eb0d634e715ec4261c6fd55c06f1',
} as const;

/** What to ask for in `eth_getLogs`. */
export const lockTopics = Object.values(topics).map((topic) => `0x${topic}`);

/**
 * A log as an event of a lock; null where it is another one. Whatever is of an event's name and not of its form was not
 * written by a contract that this node knows, so it is left out like any other.
 */
export function lockEventOf(value: unknown): LockEvent | null {
  const log = asFields(value, 'a log');
  if (log['removed'] === true || !Array.isArray(log['topics']) || log['blockNumber'] === null) return null;
  const words = log['topics'].map((topic) => asHash(topic, 'topic'));
  const data = asBytes(log['data'], 'the data of a log');
  const htlc = asAddress(log['address'], 'address of a log');
  const what = whatOf(words, data);
  if (what === null) return null;
  return {
    htlc,
    ...what,
    txid: asHash(log['transactionHash'], 'transaction of a log'),
    height: asCount(log['blockNumber'], 'the height of a log'),
    blockHash: asHash(log['blockHash'], 'block of a log'),
    logIndex: asCount(log['logIndex'], 'the place of a log'),
  };
}

function whatOf(
  [topic, first = '', second = '', third = '', ...more]: readonly string[],
  data: Uint8Array,
): Pick<LockEvent, 'preimageHash' | 'key' | 'what'> | null {
  if (first === '' || more.length > 0) return null;
  const preimageHash = asSha256(fromHex(first));
  const isOf = (form: string, indexed: number, size: number): boolean =>
    topic === form && [first, second, third].filter((one) => one !== '').length === indexed && data.length === size;
  if (isOf(topics.created, 3, 128)) {
    const [refundAddress, claimAddress] = [addressIn(fromHex(second)), addressIn(fromHex(third))];
    const token = addressIn(data.subarray(0, 32));
    if (refundAddress === null || claimAddress === null || token === null) return null;
    const amount = numberIn(data.subarray(32, 64));
    const timelock = numberIn(data.subarray(64, 96));
    const terms = { preimageHash, amount, token, refundAddress, claimAddress, timelock };
    const key = data.slice(96, 128);
    return sameBytes(key, swapKey(terms)) ? { preimageHash, key, what: { is: 'created', terms } } : null;
  }
  if (isOf(topics.redeemed, 2, 32)) {
    const preimage = preimageMatches(preimageHash, data.slice());
    return preimage === null ? null : { preimageHash, key: fromHex(second), what: { is: 'redeemed', preimage } };
  }
  if (isOf(topics.refunded, 2, 0)) return { preimageHash, key: fromHex(second), what: { is: 'refunded' } };
  return null;
}

function addressIn(word: Uint8Array): EvmAddress | null {
  return word.subarray(0, 12).some((byte) => byte !== 0) ? null : asEvmAddress(word.slice(12));
}

function numberIn(word: Uint8Array): bigint {
  return BigInt(`0x${toHex(word)}`);
}
