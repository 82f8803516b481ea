import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { randomBytes, randomUUID } from 'node:crypto';
import type { BitcoinArkadeRecord } from '../../engine/contract/directions/bitcoin-arkade.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { publicKeyOf, xOnlyKeyOf } from '../../engine/legs/secp256k1.ts';
import type { Bench } from './bench-node.ts';
import { chainId, toEvm, type Depositor } from './evm-swaps.ts';
import type { Invoice } from './swaps.ts';

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

export async function createBitcoinLightning({ http }: Bench, { bolt11 }: Invoice) {
  const key = randomBytes(32);
  const record = await http().post('/swap/bitcoin/lightning', {
    btc_htlc_script_version: 2,
    refund_pk: toHex(publicKeyOf(key)),
    lightning_invoice: bolt11,
    user_id: randomUUID(),
  });
  return { record, key };
}

export async function createBitcoinEvm({ http }: Bench, depositor: Depositor) {
  const key = randomBytes(32);
  const { secret, body } = toEvm(depositor);
  const record = await http().post('/swap/bitcoin/evm', {
    btc_htlc_script_version: 1,
    refund_pk: toHex(publicKeyOf(key)),
    ...body,
    amount_in: amount,
  });
  return { record, secret, key };
}

/** What both directions to an HTLC with the key of both say. */
function toBitcoin() {
  const [secret, key] = [randomBytes(32), randomBytes(32)];
  const body = {
    btc_htlc_script_version: 2,
    claim_pk: toHex(publicKeyOf(key)),
    hash_lock: `0x${toHex(sha256(secret))}`,
    user_id: randomUUID(),
    target_amount_sats: amount,
  };
  return { secret, key, body };
}

export async function createLightningBitcoin({ http }: Bench) {
  const { body, ...own } = toBitcoin();
  return { record: await http().post('/swap/lightning/bitcoin', body), ...own };
}

export async function createArkadeBitcoin({ http, wallet }: Bench) {
  const { body, ...own } = toBitcoin();
  const vhtlc = { arkade_htlc_script_version: 1, refund_pk: wallet.publicKey };
  return { record: await http().post('/swap/arkade/bitcoin', { ...vhtlc, ...body }), ...own };
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
