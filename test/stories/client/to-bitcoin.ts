import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { hex } from '@scure/base';
import { p2tr, Script, TAPROOT_UNSPENDABLE_KEY, Transaction } from '@scure/btc-signer';
import { keyAggExport, keyAggregate, nonceAggregate, nonceGen, Session } from '@scure/btc-signer/musig2.js';
import { TaprootControlBlock } from '@scure/btc-signer/psbt.js';
import { randomBytes } from 'node:crypto';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { read, regtest, sendBitcoin, utxosAt } from './esplora.ts';
import type { ArkadeClient } from './arkade.ts';
import type { FromEvm } from './from-evm.ts';
import { ask, text, whole, type Json } from './http.ts';
import { faultsOf, type RecordOf } from './record.ts';
import { hashLockOf, termsOf, vhtlcOf, xOnly, type Vhtlc } from './vhtlc.ts';

/** A swap from a token of an EVM chain to Bitcoin, with the secret and the key that claim the bitcoin. */
export interface ToBitcoin extends FromEvm {
  readonly secret: Uint8Array;
  readonly key: Uint8Array;
}

export interface Purchase {
  readonly chainId: number;
  readonly token: string;
  readonly gasless: boolean;
  readonly amount: { readonly amount_in: string } | { readonly amount_out: number };
  readonly userId?: string;
}

export async function evmToBitcoin(
  base: string,
  { chainId, token, gasless, amount, userId = 'story' }: Purchase,
): Promise<ToBitcoin> {
  const account = privateKeyToAccount(generatePrivateKey());
  const [secret, key] = [randomBytes(32), randomBytes(32)];
  const hash = hex.encode(sha256(secret));
  const record = await ask(base, 'POST', '/swap/evm/bitcoin', {
    btc_htlc_script_version: 1,
    claim_pk: hex.encode(schnorr.getPublicKey(key)),
    evm_chain_id: chainId,
    hash_lock: `0x${hash}`,
    token_address: token,
    user_address: account.address,
    user_id: userId,
    gasless,
    ...amount,
  });
  const swap = { id: text(record, 'id'), record, account, price: BigInt(text(record, 'source_amount')), secret, key };
  const faults = faultsOf('evm_to_bitcoin', record);
  if (faults.length > 0) throw new Error(`the record is wrong: ${faults.join('; ')}`);
  const right =
    text(record, 'evm_hash_lock') === `0x${hash}` &&
    text(record, 'btc_hash_lock') === hex.encode(ripemd160(sha256(secret))) &&
    htlcOf(swap).address === text(record, 'btc_htlc_address') &&
    // The leg that the client funds outlives the one that the service funds.
    whole(record, 'evm_refund_locktime') > whole(record, 'btc_refund_locktime');
  if (!right) throw new Error(`the record does not say what was asked for: ${JSON.stringify(record)}`);
  return swap;
}

/** The Taproot HTLC of the published interface, from the record and what the client has itself (facts/onchain.md 1). */
function htlcOf({ record, secret, key }: Pick<ToBitcoin, 'record' | 'secret' | 'key'>) {
  const hash = ripemd160(sha256(secret));
  const claim = Script.encode([
    schnorr.getPublicKey(key),
    'CHECKSIGVERIFY',
    'SIZE',
    Uint8Array.of(32),
    'EQUALVERIFY',
    'HASH160',
    hash,
    'EQUAL',
  ]);
  const refunder = hex.decode(text(record, 'btc_server_refund_pk'));
  const locktime = whole(record, 'btc_refund_locktime');
  const refund = Script.encode([locktime, 'CHECKLOCKTIMEVERIFY', 'DROP', refunder, 'CHECKSIG']);
  const pay = p2tr(TAPROOT_UNSPENDABLE_KEY, [{ script: claim }, { script: refund }], regtest, true);
  // A leaf is followed by its version.
  const leaf = pay.tapLeafScript?.find(([, script]) => hex.encode(script.subarray(0, -1)) === hex.encode(claim));
  if (leaf === undefined) throw new Error('the claim is no leaf');
  return { address: pay.address, script: pay.script, claim, controlBlock: TaprootControlBlock.encode(leaf[0]) };
}

/** The claim of what the record says was funded. It may be replaced by one that pays more. */
export function claimOf(swap: ToBitcoin, record: Json, amount: bigint, fee = 400n): Uint8Array {
  const [txid, vout] = [text(record, 'btc_fund_txid'), whole(record, 'btc_fund_vout')];
  if (amount < BigInt(text(swap.record, 'target_amount'))) throw new Error(`${amount} sats are funded`);
  const { script, claim, controlBlock } = htlcOf(swap);
  const tx = new Transaction({ version: 2, allowUnknownOutputs: true });
  tx.addInput({ txid, index: vout, sequence: 0xfffffffd, witnessUtxo: { script, amount } });
  const own = p2tr(schnorr.getPublicKey(swap.key), undefined, regtest);
  tx.addOutput({ script: own.script, amount: amount - fee });
  const digest = tx.preimageWitnessV1(0, [script], 0, [amount], undefined, claim, 0xc0);
  const witness = [swap.secret, schnorr.sign(digest, swap.key), claim, controlBlock];
  tx.updateInput(0, { finalScriptWitness: witness }, true);
  return tx.extract();
}

/** Claims at once, as published clients do: in the mempool or in a block. */
export async function claimBitcoin(esplora: string, swap: ToBitcoin, record: Json, fee?: bigint): Promise<string> {
  const [txid, vout] = [text(record, 'btc_fund_txid'), whole(record, 'btc_fund_vout')];
  const { vout: outputs } = await read<{ vout: { value: number }[] }>(esplora, `/tx/${txid}`);
  return sendBitcoin(esplora, hex.encode(claimOf(swap, record, BigInt(outputs[vout]?.value ?? 0), fee)));
}

/** What lies at the client's own address. */
export async function claimedBy(esplora: string, { key }: Pick<ToHtlc, 'key'>): Promise<number> {
  const { address } = p2tr(schnorr.getPublicKey(key), undefined, regtest);
  return (await utxosAt(esplora, String(address))).reduce((sum, { value }) => sum + value, 0);
}

/** A swap whose HTLC has the aggregate of both keys, with the secret and the key that claim it. */
export interface ToHtlc {
  readonly id: string;
  readonly record: Json;
  readonly secret: Uint8Array;
  readonly key: Uint8Array;
}

export interface ToHtlcByLightning extends ToHtlc {
  readonly bolt11: string;
}

interface Order {
  readonly amount: { readonly source_amount_sats: number } | { readonly target_amount_sats: number };
  readonly userId?: string;
}

export async function lightningToBitcoin(
  base: string,
  { amount, userId = 'story', length = 32 }: Order & { readonly length?: number },
): Promise<ToHtlcByLightning> {
  const [secret, key] = [randomBytes(length), randomBytes(32)];
  const hash = hex.encode(sha256(secret));
  const record = await ask(base, 'POST', '/swap/lightning/bitcoin', {
    btc_htlc_script_version: 2,
    claim_pk: hex.encode(secp256k1.getPublicKey(key, true)),
    hash_lock: `0x${hash}`,
    user_id: userId,
    ...amount,
  });
  const swap = { id: text(record, 'id'), record, secret, key, bolt11: text(record, 'bolt11_invoice') };
  checkHtlc('lightning_to_bitcoin', swap);
  return swap;
}

/** A swap whose VHTLC the client funds, and refunds with the key of its own half of Arkade. */
export interface ToHtlcFromArkade extends ToHtlc {
  readonly vhtlc: Vhtlc;
  readonly price: number;
}

export async function arkadeToBitcoin(
  base: string,
  { arkade }: { readonly arkade: Pick<ArkadeClient, 'publicKey'> & Partial<Pick<ArkadeClient, 'operatorKey'>> },
  { amount, userId = 'story' }: Order,
): Promise<ToHtlcFromArkade> {
  const [secret, key] = [randomBytes(32), randomBytes(32)];
  const record = await ask(base, 'POST', '/swap/arkade/bitcoin', {
    arkade_htlc_script_version: 1,
    btc_htlc_script_version: 2,
    claim_pk: hex.encode(secp256k1.getPublicKey(key, true)),
    refund_pk: arkade.publicKey,
    hash_lock: hashLockOf(secret),
    user_id: userId,
    ...amount,
  });
  const vhtlc = vhtlcOf(termsOf(record));
  const price = Number(text(record, 'source_amount'));
  const swap = { id: text(record, 'id'), record, secret, key, vhtlc, price };
  checkHtlc('arkade_to_bitcoin', swap);
  const same = (name: string, ours: string) => hex.encode(xOnly(text(record, name))) === hex.encode(xOnly(ours));
  const right =
    vhtlc.address === text(record, 'arkade_vhtlc_address') &&
    same('sender_pk', arkade.publicKey) &&
    (arkade.operatorKey === undefined || same('arkade_server_pk', arkade.operatorKey)) &&
    price === Number(text(record, 'target_amount')) + whole(record, 'fee_sats') + whole(record, 'network_fee_sats');
  if (!right) throw new Error(`the record does not say what was asked for: ${JSON.stringify(record)}`);
  return swap;
}

/** Throws for a record that does not say what was asked for. */
function checkHtlc(direction: RecordOf, swap: ToHtlc): void {
  const { record, secret } = swap;
  const faults = faultsOf(direction, record);
  if (faults.length > 0) throw new Error(`the record is wrong: ${faults.join('; ')}`);
  const right =
    text(record, 'hash_lock') === `0x${hex.encode(sha256(secret))}` &&
    aggregateHtlc(swap).address === text(record, 'btc_htlc_address');
  if (!right) throw new Error(`the record does not say what was asked for: ${JSON.stringify(record)}`);
}

/** The HTLC of the guide, from the record and what the client has itself: the service's key comes first. */
function aggregateHtlc({ record, secret, key }: Omit<ToHtlc, 'id'>) {
  const refunder = hex.decode(text(record, 'btc_server_refund_pk'));
  const internal = keyAggExport(keyAggregate([refunder, secp256k1.getPublicKey(key, true)]));
  const claim = Script.encode([
    'SIZE',
    Uint8Array.of(32),
    'EQUALVERIFY',
    'HASH160',
    ripemd160(sha256(secret)),
    'EQUALVERIFY',
    schnorr.getPublicKey(key),
    'CHECKSIG',
  ]);
  const height = whole(record, 'btc_refund_locktime');
  const refund = Script.encode([refunder.subarray(1), 'CHECKSIGVERIFY', height, 'CHECKLOCKTIMEVERIFY']);
  const pay = p2tr(internal, [{ script: claim }, { script: refund }], regtest, true);
  const leaf = pay.tapLeafScript?.find(([, script]) => hex.encode(script.subarray(0, -1)) === hex.encode(claim));
  if (leaf === undefined) throw new Error('the claim is no leaf');
  return {
    address: pay.address,
    script: pay.script,
    claim,
    controlBlock: TaprootControlBlock.encode(leaf[0]),
    keys: [refunder, secp256k1.getPublicKey(key, true)],
    tweak: schnorr.utils.taggedHash('TapTweak', internal, pay.tapMerkleRoot ?? new Uint8Array()),
  };
}

/**
 * The same together with the service, by the key of both: the transaction with the signature of both, not sent. The
 * service's half is verified, and its answer comes with it.
 */
export async function claimTogether(
  base: string,
  esplora: string,
  { swap, record, fee = 400n }: { readonly swap: ToHtlc; readonly record: Json; readonly fee?: bigint },
): Promise<{ readonly raw: string; readonly answer: Json }> {
  const [txid, vout] = [text(record, 'btc_fund_txid'), whole(record, 'btc_fund_vout')];
  const { vout: outputs } = await read<{ vout: { value: number }[] }>(esplora, `/tx/${txid}`);
  const amount = BigInt(outputs[vout]?.value ?? 0);
  const { script, keys, tweak } = aggregateHtlc(swap);
  const tx = new Transaction({ version: 2, allowUnknownOutputs: true });
  tx.addInput({ txid, index: vout, sequence: 0xfffffffd, witnessUtxo: { script, amount } });
  tx.addOutput({ script: p2tr(schnorr.getPublicKey(swap.key), undefined, regtest).script, amount: amount - fee });
  const digest = tx.preimageWitnessV1(0, [script], 0, [amount]);
  const own = nonceGen(secp256k1.getPublicKey(swap.key, true), swap.key, script.subarray(2), digest);
  const answer = await ask(base, 'POST', `/swap/${swap.id}/cooperative-claim`, {
    preimage: hex.encode(swap.secret),
    pub_nonce: hex.encode(own.public),
    transaction: hex.encode(tx.toBytes(true, false)),
    index: 0,
  });
  const nonces = [hex.decode(text(answer, 'pub_nonce')), own.public];
  const session = new Session(nonceAggregate(nonces), keys, digest, [tweak], [true]);
  const theirs = hex.decode(text(answer, 'partial_signature'));
  if (!session.partialSigVerify(theirs, nonces, 0)) throw new Error('the partial signature is none');
  const signature = session.partialSigAgg([theirs, session.sign(own.secret, swap.key)]);
  tx.updateInput(0, { finalScriptWitness: [signature] }, true);
  return { raw: hex.encode(tx.extract()), answer };
}

/** Takes what the record says was funded by its script, in the mempool or in a block, to the client's own address. */
export async function claimHtlc(esplora: string, swap: ToHtlc, record: Json, fee = 400n): Promise<string> {
  const [txid, vout] = [text(record, 'btc_fund_txid'), whole(record, 'btc_fund_vout')];
  const { vout: outputs } = await read<{ vout: { value: number }[] }>(esplora, `/tx/${txid}`);
  const amount = BigInt(outputs[vout]?.value ?? 0);
  if (amount < BigInt(text(swap.record, 'target_amount'))) throw new Error(`${amount} sats are funded`);
  const { script, claim, controlBlock } = aggregateHtlc(swap);
  const tx = new Transaction({ version: 2, allowUnknownOutputs: true });
  tx.addInput({ txid, index: vout, sequence: 0xfffffffd, witnessUtxo: { script, amount } });
  tx.addOutput({ script: p2tr(schnorr.getPublicKey(swap.key), undefined, regtest).script, amount: amount - fee });
  const digest = tx.preimageWitnessV1(0, [script], 0, [amount], undefined, claim, 0xc0);
  const witness = [schnorr.sign(digest, swap.key), swap.secret, claim, controlBlock];
  tx.updateInput(0, { finalScriptWitness: witness }, true);
  return sendBitcoin(esplora, hex.encode(tx.extract()));
}
