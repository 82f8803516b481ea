import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { hex } from '@scure/base';
import { p2tr, p2wpkh, p2wsh, Script, SigHash, TAPROOT_UNSPENDABLE_KEY, Transaction } from '@scure/btc-signer';
import { keyAggExport, keyAggregate, nonceAggregate, nonceGen, Session } from '@scure/btc-signer/musig2.js';
import { TaprootControlBlock } from '@scure/btc-signer/psbt.js';
import { randomBytes } from 'node:crypto';
import { regtest, sendBitcoin } from './esplora.ts';
import { ask, text, whole, type Json } from './http.ts';
import { faultsOf } from './record.ts';
import { termsOf, vhtlcOf, xOnly } from './vhtlc.ts';

/** Says that it may be replaced (BIP-125), and lets a locktime count. */
const replaceable = 0xfffffffd;

/** A swap from Bitcoin, with the secret that claims what is locked for it and the key that takes the bitcoin back. */
export interface FromBitcoin {
  readonly id: string;
  readonly record: Json;
  readonly secret: Uint8Array;
  readonly key: Uint8Array;
  /** Sats that the record asks for. */
  readonly price: number;
}

/** A coin on the Bitcoin chain. */
export interface BitcoinCoin {
  readonly txid: string;
  readonly vout: number;
  readonly amount: bigint;
}

export async function bitcoinToArkade(
  base: string,
  arkade: { readonly publicKey: string; readonly address: string },
  { receive, userId = 'story' }: { receive: number; userId?: string },
): Promise<FromBitcoin> {
  const [secret, key] = [randomBytes(32), randomBytes(32)];
  const hash = hex.encode(ripemd160(sha256(secret)));
  const record = await ask(base, 'POST', '/swap/bitcoin/arkade', {
    arkade_htlc_script_version: 1,
    btc_htlc_script_version: 1,
    claim_pk: arkade.publicKey,
    hash_lock: hash,
    refund_pk: hex.encode(secp256k1.getPublicKey(key)),
    sats_receive: receive,
    target_arkade_address: arkade.address,
    user_id: userId,
  });
  const swap = { id: text(record, 'id'), record, secret, key, price: Number(text(record, 'source_amount')) };
  const htlc = htlcOf(swap);
  const expected: Json = {
    status: 'pending',
    hash_lock: hash,
    source_amount: String(receive + whole(record, 'fee_sats')),
    target_amount: String(receive),
    sats_receive: receive,
    asset_amount: swap.price,
    target_arkade_address: arkade.address,
    receiver_pk: arkade.publicKey,
    sender_pk: record['server_vhtlc_pk'],
    arkade_vhtlc_address: vhtlcOf(termsOf(record)).address,
    btc_htlc_address: htlc.address,
    ...('witnessScript' in htlc ? { btc_htlc_witness_script: hex.encode(htlc.witnessScript) } : {}),
  };
  const faults = faultsOf('btc_to_arkade', record);
  for (const [name, value] of Object.entries(expected))
    if (record[name] !== value) faults.push(`${name} is ${JSON.stringify(record[name])}, not ${JSON.stringify(value)}`);
  // The leg that the client funds outlives the one that the service funds.
  if (whole(record, 'btc_refund_locktime') <= whole(record, 'vhtlc_refund_locktime'))
    faults.push('the bitcoin can be taken back before the VHTLC');
  if (faults.length > 0) throw new Error(`the record is wrong: ${faults.join('; ')}`);
  return swap;
}

/** The HTLC by the record and what the client has itself, in the form that the record says (facts/onchain.md 1, 2). */
export function htlcOf({ record, secret, key }: Pick<FromBitcoin, 'record' | 'secret' | 'key'>) {
  const service = hex.decode(text(record, 'btc_server_pk' in record ? 'btc_server_pk' : 'server_vhtlc_pk'));
  const locktime = whole(record, 'btc_refund_locktime');
  const condition = ['SIZE', Uint8Array.of(32), 'EQUALVERIFY', 'HASH160', ripemd160(sha256(secret))] as const;
  if ('btc_htlc_witness_script' in record) {
    const witnessScript = Script.encode([
      'IF',
      ...condition,
      'EQUALVERIFY',
      service,
      'ELSE',
      locktime,
      'CHECKLOCKTIMEVERIFY',
      'DROP',
      secp256k1.getPublicKey(key),
      'ENDIF',
      'CHECKSIG',
    ]);
    const { script, address } = p2wsh({ type: 'unknown', script: witnessScript }, regtest);
    return { witnessScript, script, address };
  }
  const claim = Script.encode([xOnly(hex.encode(service)), 'CHECKSIGVERIFY', ...condition, 'EQUAL']);
  const refund = Script.encode([locktime, 'CHECKLOCKTIMEVERIFY', 'DROP', schnorr.getPublicKey(key), 'CHECKSIG']);
  const pay = p2tr(TAPROOT_UNSPENDABLE_KEY, [{ script: claim }, { script: refund }], regtest, true);
  // A leaf is followed by its version.
  const leaf = pay.tapLeafScript?.find(([, script]) => hex.encode(script.subarray(0, -1)) === hex.encode(refund));
  if (leaf === undefined) throw new Error('the refund is no leaf');
  return { refund, controlBlock: TaprootControlBlock.encode(leaf[0]), script: pay.script, address: pay.address };
}

/** Sats that taking one coin back costs. */
export const refundFee = 600n;

/** Takes a coin of the HTLC back by its locktime, alone; no node relays it before. Hex text. */
export function refundOf(swap: FromBitcoin, { txid, vout, amount }: BitcoinCoin): string {
  const htlc = htlcOf(swap);
  const { script } = htlc;
  const lockTime = whole(swap.record, 'btc_refund_locktime');
  const tx = new Transaction({ version: 2, lockTime, allowUnknownOutputs: true });
  tx.addInput({ txid, index: vout, sequence: replaceable, witnessUtxo: { script, amount } });
  tx.addOutput({ script: ownScript(swap), amount: amount - refundFee });
  tx.updateInput(0, { finalScriptWitness: refundWitness(tx) }, true);
  return hex.encode(tx.extract());

  function refundWitness(unsigned: Transaction): Uint8Array[] {
    if ('witnessScript' in htlc) {
      const digest = unsigned.preimageWitnessV0(0, htlc.witnessScript, SigHash.ALL, amount);
      const signature = secp256k1.sign(digest, swap.key, { prehash: false, format: 'der' });
      return [Uint8Array.of(...signature, SigHash.ALL), Uint8Array.of(), htlc.witnessScript];
    }
    const digest = unsigned.preimageWitnessV1(0, [script], 0, [amount], undefined, htlc.refund, 0xc0);
    return [schnorr.sign(digest, swap.key), htlc.refund, htlc.controlBlock];
  }
}

/** Takes a coin back; answers the transaction. */
export function takeBitcoinBack(esplora: string, swap: FromBitcoin, coin: BitcoinCoin): Promise<string> {
  return sendBitcoin(esplora, refundOf(swap, coin));
}

/** Where the client keeps bitcoin of its own. */
export function ownAddress({ key }: Pick<FromBitcoin, 'key'>): string {
  const { address } = p2wpkh(secp256k1.getPublicKey(key), regtest);
  if (address === undefined) throw new Error('a key has an address');
  return address;
}

function ownScript({ key }: Pick<FromBitcoin, 'key'>): Uint8Array {
  return p2wpkh(secp256k1.getPublicKey(key), regtest).script;
}

/** A payment of the client's own coin that says that it may be replaced: to the HTLC, or back to itself. Hex text. */
export function payBitcoin(
  swap: FromBitcoin,
  coin: BitcoinCoin,
  { to, fee }: { readonly to: 'htlc' | 'itself'; readonly fee: bigint },
): string {
  const tx = new Transaction({ version: 2 });
  const own = ownScript(swap);
  tx.addInput({
    txid: coin.txid,
    index: coin.vout,
    sequence: replaceable,
    witnessUtxo: { script: own, amount: coin.amount },
  });
  const paid = to === 'htlc' ? BigInt(swap.price) : 0n;
  if (paid > 0n) tx.addOutput({ script: htlcOf(swap).script, amount: paid });
  tx.addOutput({ script: own, amount: coin.amount - paid - fee });
  tx.sign(swap.key);
  tx.finalize();
  return hex.encode(tx.extract());
}

/** A swap of an HTLC whose key is the aggregate of both, against a payment: the key takes the bitcoin back. */
export interface FromHtlc {
  readonly id: string;
  readonly record: Json;
  readonly key: Uint8Array;
  /** Sats that the record asks for. */
  readonly price: number;
}

export async function bitcoinToLightning(
  base: string,
  { bolt11, userId = 'story', signs }: { bolt11: string; userId?: string; signs?: true },
): Promise<FromHtlc> {
  const key = randomBytes(32);
  const record = await ask(base, 'POST', '/swap/bitcoin/lightning', {
    btc_htlc_script_version: 2,
    refund_pk: hex.encode(secp256k1.getPublicKey(key, true)),
    lightning_invoice: bolt11,
    user_id: userId,
    ...(signs === undefined ? {} : { signs_server_claim: true }),
  });
  const swap = { id: text(record, 'id'), record, key, price: Number(text(record, 'source_amount')) };
  const faults = faultsOf('bitcoin_to_lightning', record);
  if (text(record, 'client_lightning_invoice') !== bolt11) faults.push('it would pay another invoice');
  if (aggregateHtlcOf(swap).address !== text(record, 'btc_htlc_address')) faults.push('its address is another');
  if (faults.length > 0) throw new Error(`the record is wrong: ${faults.join('; ')}`);
  return swap;
}

/** The HTLC of the guide, from the record and the client's own key: the service's comes first. */
function aggregateHtlcOf({ record, key }: Pick<FromHtlc, 'record' | 'key'>) {
  const claimer = hex.decode(text(record, 'btc_server_claim_pk'));
  const internal = keyAggExport(keyAggregate([claimer, secp256k1.getPublicKey(key, true)]));
  const hash = ripemd160(hex.decode(text(record, 'hash_lock').slice(2)));
  const claim = Script.encode(['HASH160', hash, 'EQUALVERIFY', claimer.subarray(1), 'CHECKSIG']);
  const height = whole(record, 'btc_refund_locktime');
  const refund = Script.encode([schnorr.getPublicKey(key), 'CHECKSIGVERIFY', height, 'CHECKLOCKTIMEVERIFY']);
  const pay = p2tr(internal, [{ script: claim }, { script: refund }], regtest, true);
  const leaf = pay.tapLeafScript?.find(([, script]) => hex.encode(script.subarray(0, -1)) === hex.encode(refund));
  if (leaf === undefined) throw new Error('the refund is no leaf');
  return {
    refund,
    controlBlock: TaprootControlBlock.encode(leaf[0]),
    script: pay.script,
    address: pay.address,
    keys: [claimer, secp256k1.getPublicKey(key, true)],
    tweak: schnorr.utils.taggedHash('TapTweak', internal, pay.tapMerkleRoot ?? new Uint8Array()),
  };
}

/**
 * Takes a coin of it back together with the service, by the key of both, and sends it. `asks`: whose key says so.
 */
export async function refundTogether(
  base: string,
  esplora: string,
  {
    swap,
    coin: { txid, vout, amount },
    asks = swap.key,
  }: { readonly swap: FromHtlc; readonly coin: BitcoinCoin; readonly asks?: Uint8Array },
): Promise<string> {
  const { script, keys, tweak } = aggregateHtlcOf(swap);
  const tx = new Transaction({ version: 2, allowUnknownOutputs: true });
  tx.addInput({ txid, index: vout, sequence: replaceable, witnessUtxo: { script, amount } });
  tx.addOutput({ script: p2wpkh(secp256k1.getPublicKey(swap.key), regtest).script, amount: amount - refundFee });
  const digest = tx.preimageWitnessV1(0, [script], 0, [amount]);
  const own = nonceGen(secp256k1.getPublicKey(swap.key, true), swap.key, script.subarray(2), digest);
  const answer = await ask(base, 'POST', `/swap/${swap.id}/cooperative-refund`, {
    pub_nonce: hex.encode(own.public),
    transaction: hex.encode(tx.toBytes(true, false)),
    index: 0,
    signature: hex.encode(schnorr.sign(schnorr.utils.taggedHash('cooperative-refund', digest), asks)),
  });
  const nonces = [hex.decode(text(answer, 'pub_nonce')), own.public];
  const session = new Session(nonceAggregate(nonces), keys, digest, [tweak], [true]);
  const theirs = hex.decode(text(answer, 'partial_signature'));
  if (!session.partialSigVerify(theirs, nonces, 0)) throw new Error('the partial signature is none');
  const signature = session.partialSigAgg([theirs, session.sign(own.secret, swap.key)]);
  tx.updateInput(0, { finalScriptWitness: [signature] }, true);
  return sendBitcoin(esplora, hex.encode(tx.extract()));
}

/**
 * Signs the service's claim of the coin with it, by the key of both: only with the preimage in hand that the payment
 * was for, and for that coin alone.
 */
export async function signServerClaim(
  base: string,
  { swap, coin: { txid, vout, amount } }: { readonly swap: FromHtlc; readonly coin: BitcoinCoin },
): Promise<void> {
  const { script, keys, tweak } = aggregateHtlcOf(swap);
  const path = `/swap/${swap.id}/server-claim`;
  const claim = await ask(base, 'GET', path);
  const hash = text(swap.record, 'hash_lock').slice(2);
  if (hex.encode(sha256(hex.decode(text(claim, 'preimage')))) !== hash) throw new Error('it shows no preimage');
  const tx = Transaction.fromRaw(hex.decode(text(claim, 'transaction')), { allowUnknownOutputs: true });
  const input = tx.getInput(0);
  const isOurs = input.index === vout && hex.encode(input.txid ?? new Uint8Array()) === txid;
  if (tx.inputsLength !== 1 || !isOurs) throw new Error('it takes another coin');
  const digest = tx.preimageWitnessV1(0, [script], 0, [amount]);
  const own = nonceGen(secp256k1.getPublicKey(swap.key, true), swap.key, script.subarray(2), digest);
  const nonces = [hex.decode(text(claim, 'pub_nonce')), own.public];
  const session = new Session(nonceAggregate(nonces), keys, digest, [tweak], [true]);
  await ask(base, 'POST', path, {
    pub_nonce: hex.encode(own.public),
    partial_signature: hex.encode(session.sign(own.secret, swap.key)),
  });
}

/** Takes a coin of it back once the tip is at its height; no node relays it before. */
export function takeHtlcBack(esplora: string, swap: FromHtlc, { txid, vout, amount }: BitcoinCoin): Promise<string> {
  const { script, refund, controlBlock } = aggregateHtlcOf(swap);
  const tx = new Transaction({
    version: 2,
    lockTime: whole(swap.record, 'btc_refund_locktime'),
    allowUnknownOutputs: true,
  });
  tx.addInput({ txid, index: vout, sequence: replaceable, witnessUtxo: { script, amount } });
  tx.addOutput({ script: p2wpkh(secp256k1.getPublicKey(swap.key), regtest).script, amount: amount - refundFee });
  const digest = tx.preimageWitnessV1(0, [script], 0, [amount], undefined, refund, 0xc0);
  tx.updateInput(0, { finalScriptWitness: [schnorr.sign(digest, swap.key), refund, controlBlock] }, true);
  return sendBitcoin(esplora, hex.encode(tx.extract()));
}
