import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import { randomBytes } from 'node:crypto';
import { createPublicClient, createWalletClient, defineChain, hashTypedData, http, parseAbi, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Client, Sent } from './client.ts';
import { htlcOf, type FromBitcoin } from './from-bitcoin.ts';
import { ask, send, text, whole, type Json, type Reply } from './http.ts';
import { readInvoice } from './invoice.ts';
import { faultsOf } from './record.ts';
import { hashLockOf, termsOf, vhtlcOf } from './vhtlc.ts';

/** What a client wants of an EVM chain: an amount to send, in sats, or one to receive, in the token's units. */
export interface Wish {
  readonly chainId: number;
  readonly token: string;
  readonly amount: { readonly amount_in: number } | { readonly amount_out: string };
  readonly gasless?: boolean;
  readonly userId?: string;
}

/** A swap to an EVM chain, and the key that claims it there. */
export interface ClaimedOnEvm {
  readonly id: string;
  readonly record: Json;
  /** What its client pays, in sats. */
  readonly price: number;
  readonly secret: Uint8Array;
  readonly account: ReturnType<typeof privateKeyToAccount>;
  /** Where the tokens go: another account than the one that claims. */
  readonly destination: Hex;
  /** Whether the node sends its claim. */
  readonly gasless: boolean;
}

export interface ToEvm extends Sent, ClaimedOnEvm {}

/** What a client sends of itself, whatever it pays with. */
function order({ chainId, token, userId = 'story', gasless = true, amount }: Wish) {
  const secret = randomBytes(32);
  const account = privateKeyToAccount(generatePrivateKey());
  const destination: Hex = `0x${hex.encode(randomBytes(20))}`;
  const body = {
    claiming_address: account.address,
    evm_chain_id: chainId,
    hash_lock: hashLockOf(secret),
    target_address: destination,
    token_address: token,
    user_id: userId,
    gasless,
    ...amount,
  };
  return { secret, account, destination, body };
}

/** Throws unless the record says what was asked for. */
function checked(
  record: Json,
  { amount, chainId, gasless = true }: Wish,
  { secret, account, destination }: Pick<ReturnType<typeof order>, 'secret' | 'account' | 'destination'>,
  also: boolean,
): ClaimedOnEvm {
  const address = (name: string): string => text(record, name).toLowerCase();
  const right =
    also &&
    text(record, 'evm_hash_lock' in record ? 'evm_hash_lock' : 'hash_lock') === hashLockOf(secret) &&
    address('client_evm_address') === account.address.toLowerCase() &&
    address('target_evm_address') === destination &&
    whole(record, 'evm_chain_id') === chainId &&
    ('amount_out' in amount
      ? text(record, 'target_amount') === amount.amount_out
      : text(record, 'source_amount') === String(amount.amount_in));
  if (!right) throw new Error(`the record does not say what was asked for: ${JSON.stringify(record)}`);
  const price = Number(text(record, 'source_amount'));
  return { id: text(record, 'id'), record, price, secret, account, destination, gasless };
}

/** A swap from Lightning, whose invoice asks for its price and hangs on its hash. */
export async function lightningToEvm(base: string, wish: Wish): Promise<ClaimedOnEvm & { readonly bolt11: string }> {
  const { body, ...own } = order(wish);
  const record = await ask(base, 'POST', '/swap/lightning/evm', body);
  const bolt11 = text(record, 'bolt11_invoice');
  const invoice = readInvoice(bolt11);
  const isOurs = `0x${invoice.hash}` === body.hash_lock && String(invoice.sats) === text(record, 'source_amount');
  return { ...checked(record, wish, own, isOurs), bolt11 };
}

/** A swap from Bitcoin, whose Taproot HTLC its client can take back alone. */
export async function bitcoinToEvm(base: string, wish: Wish): Promise<ClaimedOnEvm & FromBitcoin> {
  const { body, ...own } = order(wish);
  const key = randomBytes(32);
  const record = await ask(base, 'POST', '/swap/bitcoin/evm', {
    btc_htlc_script_version: 1,
    refund_pk: hex.encode(secp256k1.getPublicKey(key)),
    ...body,
  });
  const htlc = htlcOf({ record, secret: own.secret, key });
  const isOurs =
    text(record, 'btc_htlc_address') === htlc.address &&
    text(record, 'btc_hash_lock') === hex.encode(ripemd160(sha256(own.secret))) &&
    !('hash_lock' in record) &&
    // The leg that the client funds outlives the one that the service funds.
    whole(record, 'btc_refund_locktime') > whole(record, 'evm_refund_locktime') &&
    faultsOf('bitcoin_to_evm', record).length === 0;
  return { ...checked(record, wish, own, isOurs), key };
}

export async function arkadeToEvm(
  base: string,
  client: { readonly arkade: Pick<Client['arkade'], 'publicKey'> },
  wish: Wish,
): Promise<ToEvm> {
  const { body, ...own } = order(wish);
  const record = await ask(base, 'POST', '/swap/arkade/evm', {
    arkade_htlc_script_version: 1,
    refund_pk: client.arkade.publicKey,
    ...body,
  });
  const vhtlc = vhtlcOf(termsOf(record));
  const isOurs =
    vhtlc.address === text(record, 'btc_vhtlc_address') &&
    // The leg that the client funds outlives the one that the service funds.
    whole(record, 'vhtlc_refund_locktime') > whole(record, 'evm_refund_locktime');
  return { ...checked(record, wish, own, isOurs), vhtlc };
}

/** The Redeem message of the published interface, from the record and the calldata alone (facts/evm.md 4). */
function redeemOf({ record, secret, destination }: ClaimedOnEvm, data: Json) {
  const native = text(record, 'evm_htlc_kind') === 'native';
  const word = (name: string): Hex => text(record, name) as Hex;
  const { token_id } = record['target_token'] as { token_id: string };
  const direct = token_id.toLowerCase() === word('wbtc_address').toLowerCase();
  const fields = [
    ['preimage', 'bytes32', `0x${hex.encode(secret)}`],
    ['amount', 'uint256', BigInt(text(record, 'evm_expected_sats'))],
    ...(native ? [] : [['token', 'address', word('wbtc_address')] as const]),
    ['sender', 'address', word('server_evm_address')],
    ['timelock', 'uint256', BigInt(whole(record, 'evm_refund_locktime'))],
    ['caller', 'address', word('evm_coordinator_address')],
    ['destination', 'address', destination],
    ['sweepToken', 'address', direct ? word('wbtc_address') : token_id],
    ['minAmountOut', 'uint256', BigInt(text(data, 'min_amount_out'))],
    ['callsHash', 'bytes32', text(data, 'calls_hash')],
  ] as const;
  return {
    domain: {
      name: native ? 'HTLCNative' : 'HTLCErc20',
      version: String(whole(record, 'evm_htlc_version')),
      chainId: whole(record, 'evm_chain_id'),
      verifyingContract: word('evm_htlc_address'),
    },
    types: { Redeem: fields.map(([name, type]) => ({ name, type })) },
    primaryType: 'Redeem' as const,
    message: Object.fromEntries(fields.map(([name, , value]) => [name, value])),
  };
}

/** A signed claim, as it is posted. */
export async function signedClaim(base: string, swap: ClaimedOnEvm): Promise<Json> {
  const data = await ask(base, 'GET', `/swap/${swap.id}/redeem-and-swap-calldata?destination=${swap.destination}`);
  const signature = await swap.account.sign({ hash: hashTypedData(redeemOf(swap, data) as never) });
  return {
    secret: hex.encode(swap.secret),
    destination: swap.destination,
    r: `0x${signature.slice(2, 66)}`,
    s: `0x${signature.slice(66, 130)}`,
    v: Number.parseInt(signature.slice(130), 16),
    ...(data['dex_calldata'] === undefined ? {} : { dex_calldata: data['dex_calldata'] }),
  };
}

export async function claimGasless(base: string, swap: ClaimedOnEvm, body?: Json): Promise<Reply> {
  return send(base, 'POST', `/swap/${swap.id}/claim-gasless`, body ?? (await signedClaim(base, swap)));
}

const htlcs = parseAbi([
  'function redeem(bytes32 preimage, uint256 amount, address token, address sender, uint256 timelock)',
  'function redeem(bytes32 preimage, uint256 amount, address sender, uint256 timelock)',
]);
const erc20 = parseAbi(['function balanceOf(address) view returns (uint256)']);

/** Milliseconds between two looks for a receipt. */
export const pollingInterval = 250;

export function chainAt(id: number, rpcUrl: string) {
  const coin = { name: 'coin', symbol: 'COIN', decimals: 18 };
  return defineChain({ id, name: 'sandbox', nativeCurrency: coin, rpcUrls: { default: { http: [rpcUrl] } } });
}

/** Whether the RPC knows a transaction, in a block or waiting for one. */
export async function isKnown(rpcUrl: string, chainId: number, hash: string): Promise<boolean> {
  const reader = createPublicClient({ chain: chainAt(chainId, rpcUrl), transport: http() });
  return reader.getTransaction({ hash: hash as Hex }).then(
    () => true,
    () => false,
  );
}

/** The client's own transaction, for which its account needs coins; answers its hash once it is mined. */
export async function claimAlone(rpcUrl: string, { record, secret, account }: ClaimedOnEvm): Promise<string> {
  const chain = chainAt(whole(record, 'evm_chain_id'), rpcUrl);
  const wallet = createWalletClient({ account, chain, transport: http() });
  const word = (name: string): Hex => text(record, name) as Hex;
  const hash = await wallet.writeContract({
    address: word('evm_htlc_address'),
    abi: htlcs,
    functionName: 'redeem',
    args: [
      `0x${hex.encode(secret)}`,
      BigInt(text(record, 'evm_expected_sats')),
      word('wbtc_address'),
      word('server_evm_address'),
      BigInt(whole(record, 'evm_refund_locktime')),
    ],
  });
  const { status } = await createPublicClient({ chain, transport: http(), pollingInterval }).waitForTransactionReceipt({
    hash,
  });
  if (status !== 'success') throw new Error(`the claim was reverted: ${hash}`);
  return hash;
}

/** Smallest units of a token, or of the coin for the zero address. */
export async function balanceOn(rpcUrl: string, chainId: number, token: string, of: string): Promise<bigint> {
  const reader = createPublicClient({ chain: chainAt(chainId, rpcUrl), transport: http() });
  if (/^0x0+$/.test(token)) return reader.getBalance({ address: of as Hex });
  return reader.readContract({ address: token as Hex, abi: erc20, functionName: 'balanceOf', args: [of as Hex] });
}
