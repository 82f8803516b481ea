import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { ArkAddress, VtxoScript } from '@arkade-os/sdk';
import { hex } from '@scure/base';
import { Script, ScriptNum } from '@scure/btc-signer';
import { text, whole, type Json } from './http.ts';

/** What a client knows of its VHTLC: from the record, and its own key in its own place. */
export interface Terms {
  readonly sender: Uint8Array;
  readonly receiver: Uint8Array;
  readonly operator: Uint8Array;
  readonly hash: Uint8Array;
  readonly locktime: number;
  /** Seconds: claim, refund, refund without receiver. */
  readonly delays: readonly [number, number, number];
}

export interface Vhtlc {
  readonly script: VtxoScript;
  readonly pkScript: Uint8Array;
  readonly address: string;
  readonly leaf: { readonly claim: Leaf; readonly refund: Leaf; readonly refundAlone: Leaf };
}

export type Leaf = ReturnType<VtxoScript['findLeaf']>;

function number(value: number): Uint8Array {
  return ScriptNum().encode(BigInt(value));
}

/** BIP 68: time in units of 512 s. */
function sequence(seconds: number): Uint8Array {
  if (seconds < 512 || seconds % 512 !== 0) throw new Error(`a delay of ${seconds} s is no multiple of 512 s`);
  return number(0x0040_0000 | (seconds >> 9));
}

/** The strict six leaves in their order (facts/arkade.md 7). */
export function vhtlcOf({ sender, receiver, operator, hash, locktime, delays }: Terms): Vhtlc {
  const condition = ['SIZE', number(32), 'EQUALVERIFY', 'HASH160', hash, 'EQUAL', 'VERIFY'] as const;
  const claim = Script.encode([...condition, receiver, 'CHECKSIGVERIFY', operator, 'CHECKSIG']);
  const refund = Script.encode([sender, 'CHECKSIGVERIFY', receiver, 'CHECKSIGVERIFY', operator, 'CHECKSIG']);
  const refundAlone = Script.encode([
    number(locktime),
    'CHECKLOCKTIMEVERIFY',
    'DROP',
    sender,
    'CHECKSIGVERIFY',
    operator,
    'CHECKSIG',
  ]);
  const script = new VtxoScript([
    claim,
    refund,
    refundAlone,
    Script.encode([...condition, sequence(delays[0]), 'CHECKSEQUENCEVERIFY', 'DROP', receiver, 'CHECKSIG']),
    Script.encode([sequence(delays[1]), 'CHECKSEQUENCEVERIFY', 'DROP', sender, 'CHECKSIGVERIFY', receiver, 'CHECKSIG']),
    Script.encode([sequence(delays[2]), 'CHECKSEQUENCEVERIFY', 'DROP', sender, 'CHECKSIG']),
  ]);
  return {
    script,
    pkScript: script.pkScript,
    address: new ArkAddress(operator, script.tweakedPublicKey, 'tark').encode(),
    leaf: { claim: leafOf(script, claim), refund: leafOf(script, refund), refundAlone: leafOf(script, refundAlone) },
  };
}

function leafOf(script: VtxoScript, leaf: Uint8Array): Leaf {
  return script.findLeaf(hex.encode(leaf));
}

/** Keys come with 33 or 32 bytes (facts/clients.md 16). */
export function xOnly(key: string): Uint8Array {
  const bytes = hex.decode(key);
  return bytes.length === 33 ? bytes.slice(1) : bytes;
}

/** The terms as a record states them; the caller compares what it knows itself. */
export function termsOf(record: Json): Terms {
  return {
    sender: xOnly(text(record, 'sender_pk')),
    receiver: xOnly(text(record, 'receiver_pk')),
    operator: xOnly(text(record, 'arkade_server_pk')),
    hash: hashIn(text(record, 'hash_lock')),
    locktime: whole(record, 'vhtlc_refund_locktime'),
    delays: [
      whole(record, 'unilateral_claim_delay'),
      whole(record, 'unilateral_refund_delay'),
      whole(record, 'unilateral_refund_without_receiver_delay'),
    ],
  };
}

/** A swap from Bitcoin has the hash of the script itself (facts/clients.md 20), the others have what it is made of. */
function hashIn(hashLock: string): Uint8Array {
  if (/^[0-9a-f]{40}$/.test(hashLock)) return hex.decode(hashLock);
  if (!/^0x[0-9a-f]{64}$/.test(hashLock)) throw new Error(`hash_lock is ${hashLock}`);
  return ripemd160(hex.decode(hashLock.slice(2)));
}

export function hashLockOf(secret: Uint8Array): string {
  return `0x${hex.encode(sha256(secret))}`;
}
