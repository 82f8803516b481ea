import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { parseTransaction, type Hex } from 'viem';
import type { ArkadeEvmRecord } from '../../engine/contract/directions/arkade-evm.ts';
import type { EvmLightningRecord } from '../../engine/contract/directions/evm-lightning.ts';
import type { RedeemData } from '../../engine/contract/records/evm.ts';
import { asEvmAddress, type EvmAddress } from '../../engine/domain/evm.ts';
import { asSha256 } from '../../engine/domain/hash.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { accountOf, signTransaction } from '../../engine/legs/evm/account.ts';
import { approveCall, relayFundCall } from '../../engine/legs/evm/calls.ts';
import { callsHash } from '../../engine/legs/evm/calls-hash.ts';
import type { SwapContracts } from '../../engine/legs/evm/contracts.ts';
import { permit2 } from '../../engine/legs/evm/deployments.ts';
import { permitDigest, redeemDigest } from '../../engine/legs/evm/digests.ts';
import type { EvmCall } from '../../engine/legs/evm/port.ts';
import { asPreimage } from '../../engine/domain/hash.ts';
import { signRecoverable } from '../../engine/legs/secp256k1.ts';
import type { Bench } from './bench-node.ts';
import type { Invoice } from './swaps.ts';

/** The sandbox's chain of tokens. */
export const chainId = 137;
const amount = 20_000;
const gwei = 1_000_000_000n;

/** An account that locks and claims tokens of the chain, by the transactions that it signs itself. */
export interface Depositor {
  readonly key: Uint8Array;
  readonly address: EvmAddress;
  /** The pegged token. */
  readonly token: EvmAddress;
  readonly rpcUrl: string;
  nonce: number;
}

const addressIn = (hex: string): EvmAddress => asEvmAddress(fromHex(hex.slice(2).toLowerCase()));

async function rpc(url: string, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { result, error } = (await reply.json()) as { result?: unknown; error?: { message: string } };
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** With tokens for as many swaps, which Permit2 may take. */
export async function openDepositor({ endpoints, wallet }: Bench, swaps: number): Promise<Depositor> {
  const chain = endpoints.evm?.[chainId];
  const token = chain?.tokens.find(({ symbol }) => symbol === 'WBTC');
  if (chain === undefined || token === undefined) throw new Error(`there is no chain ${chainId} in this sandbox`);
  const key = randomBytes(32);
  const address = accountOf(key);
  const to = `0x${toHex(address)}`;
  const depositor = { key, address, token: addressIn(token.address), rpcUrl: chain.rpcUrl, nonce: 0 };
  await wallet.controls.evmFaucet(`${chainId}`, { address: to, token: token.address, amount: `${swaps * amount * 2}` });
  await wallet.controls.evmFaucet(`${chainId}`, { address: to, token: `0x${'0'.repeat(40)}`, amount: `${10n ** 21n}` });
  await sendCall(depositor, approveCall(depositor.token, permit2, 2n ** 255n));
  return depositor;
}

/** Signed with the depositor's next nonce. */
export function signCall(depositor: Depositor, call: EvmCall): `0x${string}` {
  const fees = { is: 'dynamic', most: 500n * gwei, tip: 30n * gwei } as const;
  const signed = signTransaction(chainId, { ...call, nonce: depositor.nonce++, gas: 400_000n, fees }, depositor.key);
  return `0x${toHex(signed)}`;
}

async function sendCall(depositor: Depositor, call: EvmCall): Promise<void> {
  await rpc(depositor.rpcUrl, 'eth_sendRawTransaction', signCall(depositor, call));
}

export async function createEvmLightning(
  { http }: Bench,
  { bolt11 }: Invoice,
  { address, token }: Depositor,
): Promise<EvmLightningRecord> {
  const record = await http().post('/swap/evm/lightning', {
    evm_chain_id: chainId,
    token_address: `0x${toHex(token)}`,
    user_address: `0x${toHex(address)}`,
    user_id: randomUUID(),
    lightning_invoice: bolt11,
    gasless: false,
  });
  return record as unknown as EvmLightningRecord;
}

function contractsOf(record: Lockable | ArkadeEvmRecord): SwapContracts {
  return {
    kind: record.evm_htlc_kind,
    htlc: addressIn(record.evm_htlc_address),
    coordinator: addressIn(record.evm_coordinator_address),
    htlcVersion: String(record.evm_htlc_version),
    coordinatorVersion: null,
  };
}

function join({ r, s, yParity }: ReturnType<typeof signRecoverable>): Uint8Array {
  return Uint8Array.of(...r, ...s, 27 + yParity);
}

/** What of a record says what is to be locked. */
export type Lockable = Pick<
  EvmLightningRecord,
  | 'evm_htlc_kind'
  | 'evm_htlc_address'
  | 'evm_coordinator_address'
  | 'evm_htlc_version'
  | 'hash_lock'
  | 'server_evm_address'
  | 'evm_refund_locktime'
  | 'source_amount'
>;

/** Locks what the record asks for, by a permit and a transaction of the depositor's own. */
export async function lockFor(record: Lockable, depositor: Depositor): Promise<void> {
  const contracts = contractsOf(record);
  const lock = {
    preimageHash: asSha256(fromHex(record.hash_lock.slice(2))),
    token: depositor.token,
    claimAddress: addressIn(record.server_evm_address),
    timelock: BigInt(record.evm_refund_locktime),
    refundAddress: contracts.coordinator,
  };
  const permit = {
    depositor: depositor.address,
    token: depositor.token,
    amount: BigInt(record.source_amount),
    nonce: BigInt(`0x${toHex(randomBytes(32))}`),
    deadline: BigInt(Math.floor(Date.now() / 1_000) + 36_000),
  };
  const digest = permitDigest({ chainId, contracts }, { lock, permit, callsHash: callsHash([]) });
  const signature = join(signRecoverable(digest, depositor.key));
  await sendCall(depositor, relayFundCall(contracts, { lock, permit: { ...permit, signature }, calls: [] }));
}

export interface OpenArkadeEvm {
  readonly record: ArkadeEvmRecord;
  readonly secret: Uint8Array;
}

/** To the pegged token, whose claim needs no exchange. */
export function toEvm({ address, token }: Depositor) {
  const secret = randomBytes(32);
  const body = {
    claiming_address: `0x${toHex(address)}`,
    evm_chain_id: chainId,
    hash_lock: `0x${createHash('sha256').update(secret).digest('hex')}`,
    target_address: `0x${toHex(randomBytes(20))}`,
    token_address: `0x${toHex(token)}`,
    user_id: randomUUID(),
    amount_in: amount,
  };
  return { secret, body };
}

export async function createArkadeEvm({ http, wallet }: Bench, depositor: Depositor): Promise<OpenArkadeEvm> {
  const { secret, body } = toEvm(depositor);
  const vhtlc = { arkade_htlc_script_version: 1, refund_pk: wallet.publicKey };
  const record = await http().post('/swap/arkade/evm', { ...vhtlc, ...body });
  return { record: record as unknown as ArkadeEvmRecord, secret };
}

export async function createLightningEvm({ http }: Bench, depositor: Depositor) {
  const { secret, body } = toEvm(depositor);
  return { record: await http().post('/swap/lightning/evm', body), secret };
}

export async function createEvmArkade({ http, wallet }: Bench, { address, token }: Depositor) {
  const secret = randomBytes(32);
  const record = await http().post('/swap/evm/arkade', {
    arkade_htlc_script_version: 1,
    evm_chain_id: chainId,
    hash_lock: `0x${createHash('sha256').update(secret).digest('hex')}`,
    receiver_pk: wallet.publicKey,
    target_address: wallet.address,
    token_address: `0x${toHex(token)}`,
    user_address: `0x${toHex(address)}`,
    user_id: randomUUID(),
    gasless: false,
    amount_out: amount,
  });
  return { record, secret };
}

/** The body of a gasless claim, signed. */
export async function signedClaim(
  { http }: Bench,
  { record, secret }: OpenArkadeEvm,
  { key }: Depositor,
): Promise<object> {
  const destination = record.target_evm_address ?? '';
  const answer = await http().get(`/swap/${record.id}/redeem-and-swap-calldata?destination=${destination}`);
  const { calls_hash, min_amount_out } = answer as unknown as RedeemData;
  const token = addressIn(record.wbtc_address);
  const digest = redeemDigest(
    { chainId, contracts: contractsOf(record) },
    {
      lock: {
        amount: BigInt(record.evm_expected_sats),
        token,
        refundAddress: addressIn(record.server_evm_address),
        timelock: BigInt(record.evm_refund_locktime),
      },
      preimage: asPreimage(secret),
      destination: addressIn(destination),
      sweepToken: token,
      minAmountOut: BigInt(min_amount_out),
      callsHash: fromHex(calls_hash.slice(2)),
    },
  );
  const { r, s, yParity } = signRecoverable(digest, key);
  return { secret: toHex(secret), destination, v: 27 + yParity, r: `0x${toHex(r)}`, s: `0x${toHex(s)}` };
}

/** The hash whose preimage a signed claim shows; null for another transaction. */
export function hashClaimed(raw: string): string | null {
  const { data = '0x' } = parseTransaction(raw as Hex);
  return data.length < 74
    ? null
    : createHash('sha256')
        .update(fromHex(data.slice(10, 74)))
        .digest('hex');
}
