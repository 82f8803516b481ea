import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import { Address, OutScript, SigHash, Transaction } from '@scure/btc-signer';
import {
  constructClaimTransaction,
  constructRefundTransaction,
  detectSwap,
  Musig,
  OutputType,
  reverseSwapTree,
  Scripts,
  swapTree,
  SwapTreeSerializer,
  TaprootUtils,
  targetFee,
  type ClaimDetails,
} from 'boltz-core';
import { randomBytes } from 'node:crypto';
import { regtest } from '../stories/client/esplora.ts';
import { ask, text, whole, type Json } from '../stories/client/http.ts';

/*
 * A client on the Bitcoin chain as the published library has it: every script, address, sighash and signature here is
 * made by boltz-core alone.
 */

type Tree = ReturnType<typeof swapTree>;
type Tweaked = ReturnType<typeof TaprootUtils.tweakMusig>;

export interface CoreSwap {
  readonly id: string;
  readonly reply: Json;
  readonly key: Uint8Array;
  readonly server: Uint8Array;
  readonly tree: Tree;
  readonly musig: Tweaked;
  readonly internalKey: Uint8Array;
}

export interface CoreReverse extends CoreSwap {
  readonly preimage: Uint8Array;
}

const publicKeyOf = (key: Uint8Array): string => hex.encode(secp256k1.getPublicKey(key));

/** Derives the lock again from what both sides know, and refuses one that differs. */
function checked(reply: Json, of: { tree: Tree; key: Uint8Array; server: string; address: string }): CoreSwap {
  const { tree, key, address } = of;
  const server = hex.decode(of.server);
  const derived = SwapTreeSerializer.serializeSwapTree(tree);
  if (JSON.stringify(derived) !== JSON.stringify(reply['swapTree']))
    throw new Error(`the tree is ${JSON.stringify(reply['swapTree'])}, not ${JSON.stringify(derived)}`);
  const keys = Musig.create(key, [server, secp256k1.getPublicKey(key)]);
  const musig = TaprootUtils.tweakMusig(keys, tree.tree);
  const script = OutScript.encode(Address(regtest).decode(address));
  if (hex.encode(Scripts.p2trOutput(musig.aggPubkey)) !== hex.encode(script))
    throw new Error(`${address} is not the address of the tree`);
  return { id: text(reply, 'id'), reply, key, server, tree, musig, internalKey: keys.aggPubkey };
}

/** With its invoice, or null where that is named later. */
export async function createSubmarine(base: string, invoice: string | null, hash: string): Promise<CoreSwap> {
  const key = secp256k1.utils.randomSecretKey();
  const refundPublicKey = publicKeyOf(key);
  const paid = invoice === null ? { preimageHash: hash } : { invoice };
  const reply = await post(base, '/v2/swap/submarine', { from: 'BTC', to: 'BTC', refundPublicKey, ...paid });
  const server = text(reply, 'claimPublicKey');
  const tree = swapTree(
    false,
    hex.decode(hash),
    hex.decode(server),
    hex.decode(refundPublicKey),
    whole(reply, 'timeoutBlockHeight'),
  );
  return checked(reply, { tree, key, server, address: text(reply, 'address') });
}

export async function createReverse(
  base: string,
  amount: Json,
  key = secp256k1.utils.randomSecretKey(),
): Promise<CoreReverse> {
  const preimage = randomBytes(32);
  const hash = sha256(preimage);
  const claimPublicKey = publicKeyOf(key);
  const reply = await post(base, '/v2/swap/reverse', {
    ...{ from: 'BTC', to: 'BTC', preimageHash: hex.encode(hash), claimPublicKey },
    ...amount,
  });
  const server = text(reply, 'refundPublicKey');
  const tree = reverseSwapTree(
    false,
    hash,
    hex.decode(claimPublicKey),
    hex.decode(server),
    whole(reply, 'timeoutBlockHeight'),
  );
  return { ...checked(reply, { tree, key, server, address: text(reply, 'lockupAddress') }), preimage };
}

/** From the Bitcoin chain to Arkade, where `claimPublicKey` takes our lock by a secret of any length. */
export async function createChainToArk(
  base: string,
  of: { readonly claimPublicKey: string; readonly amount: Json; readonly length?: number },
): Promise<CoreReverse> {
  const preimage = randomBytes(of.length ?? 32);
  const hash = sha256(preimage);
  const key = secp256k1.utils.randomSecretKey();
  const refundPublicKey = publicKeyOf(key);
  const reply = await post(base, '/v2/swap/chain', {
    ...{ from: 'BTC', to: 'ARK', preimageHash: hex.encode(hash), refundPublicKey },
    ...{ claimPublicKey: of.claimPublicKey, ...of.amount },
  });
  const lock = reply['lockupDetails'] as Json;
  const server = text(lock, 'serverPublicKey');
  const tree = reverseSwapTree(
    false,
    hash,
    hex.decode(server),
    hex.decode(refundPublicKey),
    whole(lock, 'timeoutBlockHeight'),
  );
  const swap = checked({ ...reply, ...lock }, { tree, key, server, address: text(lock, 'lockupAddress') });
  return { ...swap, reply, preimage };
}

/** The coin at the lock, as one that both spend together or one alone. */
export function coinOf(
  swap: CoreSwap,
  raw: string,
  by: 'both' | 'script',
  preimage: Uint8Array = new Uint8Array(32),
): ClaimDetails {
  const lockup = Transaction.fromRaw(hex.decode(raw), { allowUnknownOutputs: true });
  const output = detectSwap(swap.musig.aggPubkey, lockup);
  if (output?.script === undefined || output.amount === undefined) throw new Error('it does not pay the lock');
  return {
    type: OutputType.Taproot,
    ...{ transactionId: lockup.id, vout: output.vout, script: output.script, amount: output.amount },
    ...{ privateKey: swap.key, preimage, cooperative: by === 'both' },
    ...(by === 'both' ? {} : { swapTree: swap.tree, internalKey: swap.internalKey }),
  };
}

const somewhere = Uint8Array.from([0, 20, ...new Uint8Array(20).fill(0x33)]);

export function claimTx(coins: ClaimDetails[], fee?: bigint): Transaction {
  return fee === undefined
    ? targetFee(2, (needs) => constructClaimTransaction(coins, somewhere, needs, true))
    : constructClaimTransaction(coins, somewhere, fee, true);
}

export function refundTx(coin: ClaimDetails, height: number): Transaction {
  return targetFee(2, (fee) => constructRefundTransaction([coin], somewhere, height, fee, true));
}

/** Asks for the other half of an input's signature, and finishes it. */
export async function signTogether(
  base: string,
  path: string,
  of: { swap: CoreSwap; tx: Transaction; coins: readonly ClaimDetails[]; index?: number; more?: Json },
): Promise<void> {
  const { swap, tx, coins, index = 0, more = {} } = of;
  const message = tx.preimageWitnessV1(
    index,
    coins.map(({ script }) => script),
    SigHash.DEFAULT,
    coins.map(({ amount }) => amount),
  );
  const nonce = swap.musig.message(message).generateNonce();
  const answer = await ask(base, 'POST', path, {
    ...more,
    pubNonce: hex.encode(nonce.publicNonce),
    transaction: tx.hex,
    index,
  });
  const session = nonce
    .aggregateNonces([[swap.server, hex.decode(text(answer, 'pubNonce'))]])
    .initializeSession()
    .addPartial(swap.server, hex.decode(text(answer, 'partialSignature')));
  tx.updateInput(index, { finalScriptWitness: [session.signPartial().aggregatePartials()] });
}

/**
 * Signs the service's claim of the client's coin: what is to be signed nothing but the preimage says to be fair.
 */
export async function signTheirClaim(base: string, path: string, swap: CoreSwap, hash: string): Promise<Json> {
  const claim = await ask(base, 'GET', path);
  if (hex.encode(sha256(hex.decode(text(claim, 'preimage')))) !== hash) throw new Error('it shows no preimage');
  if (text(claim, 'publicKey') !== hex.encode(swap.server)) throw new Error('it is another key');
  const session = swap.musig
    .message(hex.decode(text(claim, 'transactionHash')))
    .generateNonce()
    .aggregateNonces([[swap.server, hex.decode(text(claim, 'pubNonce'))]])
    .initializeSession()
    .signPartial();
  const [pubNonce, partialSignature] = [session.publicNonce, session.ourPartialSignature].map((of) => hex.encode(of));
  return post(base, path, { pubNonce, partialSignature });
}

export async function broadcast(base: string, tx: Transaction): Promise<string> {
  return text(await post(base, '/v2/chain/BTC/transaction', { hex: tx.hex }), 'id');
}

/** Clients take any 2xx. */
export async function post(base: string, path: string, body: Json): Promise<Json> {
  const answer = await fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const json = (await answer.json()) as Json;
  if (!answer.ok) throw new Error(`${answer.status} ${String(json['error'])}`);
  return json;
}
