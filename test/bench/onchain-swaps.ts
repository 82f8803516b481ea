import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { randomBytes, randomUUID } from 'node:crypto';
import type { BitcoinArkadeRecord } from '../../engine/contract/directions/bitcoin-arkade.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { publicKeyOf, xOnlyKeyOf } from '../../engine/legs/secp256k1.ts';
import type { Bench } from './bench-node.ts';
import { chainId, type Depositor } from './evm-swaps.ts';

/** Enough for the outputs and fees of a chain. */
const amount = 60_000;

export interface OpenBitcoinArkade {
  readonly record: BitcoinArkadeRecord;
  readonly secret: Uint8Array;
}

export async function createBitcoinArkade({ http, wallet }: Bench): Promise<OpenBitcoinArkade> {
  const secret = randomBytes(32);
  const record = await http().post('/swap/bitcoin/arkade', {
    arkade_htlc_script_version: 1,
    btc_htlc_script_version: 1,
    claim_pk: wallet.publicKey,
    hash_lock: toHex(ripemd160(sha256(secret))),
    refund_pk: toHex(publicKeyOf(randomBytes(32))),
    sats_receive: amount,
    target_arkade_address: wallet.address,
    user_id: randomUUID(),
  });
  return { record: record as unknown as BitcoinArkadeRecord, secret };
}

export async function createEvmBitcoin({ http }: Bench, { address, token }: Depositor) {
  const [secret, key] = [randomBytes(32), randomBytes(32)];
  const record = await http().post('/swap/evm/bitcoin', {
    btc_htlc_script_version: 1,
    claim_pk: toHex(xOnlyKeyOf(key)),
    evm_chain_id: chainId,
    hash_lock: `0x${toHex(sha256(secret))}`,
    token_address: `0x${toHex(token)}`,
    user_address: `0x${toHex(address)}`,
    user_id: randomUUID(),
    gasless: false,
    amount_out: amount,
  });
  return { record, secret, key };
}
