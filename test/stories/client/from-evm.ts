import { setTimeout as pause } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import {
  concat,
  createPublicClient,
  createWalletClient,
  encodeAbiParameters,
  encodeFunctionData,
  http,
  keccak256,
  maxUint256,
  parseAbi,
  stringToBytes,
  type Hex,
  type TypedDataDefinition,
} from 'viem';
import { entryPoint07Address } from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Call, SmartAccount } from './bundler.ts';
import { ask, send, text, whole, type Json, type Reply } from './http.ts';
import { chainAt, pollingInterval } from './to-evm.ts';

/** A swap from a token of an EVM chain, and the account that locks the token. */
export interface FromEvm {
  readonly id: string;
  readonly record: Json;
  readonly account: ReturnType<typeof privateKeyToAccount>;
  /** Units of the token that the record asks for. */
  readonly price: bigint;
}

export interface Payment {
  readonly chainId: number;
  readonly token: string;
  readonly bolt11: string;
  readonly hash: string;
  readonly gasless: boolean;
  readonly userId?: string;
}

export async function evmToLightning(
  base: string,
  { chainId, token, bolt11, hash, gasless, userId = 'story' }: Payment,
): Promise<FromEvm> {
  const account = privateKeyToAccount(generatePrivateKey());
  const record = await ask(base, 'POST', '/swap/evm/lightning', {
    evm_chain_id: chainId,
    token_address: token,
    user_address: account.address,
    user_id: userId,
    lightning_invoice: bolt11,
    gasless,
  });
  const right =
    text(record, 'client_lightning_invoice') === bolt11 &&
    text(record, 'hash_lock') === `0x${hash}` &&
    text(record, 'client_evm_address').toLowerCase() === account.address.toLowerCase() &&
    whole(record, 'evm_chain_id') === chainId;
  if (!right) throw new Error(`the record does not say what was asked for: ${JSON.stringify(record)}`);
  return { id: text(record, 'id'), record, account, price: BigInt(text(record, 'source_amount')) };
}

const word = (from: Json, name: string): Hex => text(from, name) as Hex;

/** The hash of the lock, by the name that the record of its direction has for it. */
const hashField = (record: Json) => ('evm_hash_lock' in record ? 'evm_hash_lock' : 'hash_lock');

/** What to sign, refused where the lock in it is another than the record's. */
async function fundingOf(
  base: string,
  { id, record }: FromEvm,
  of: 'swap-and-lock-calldata-permit2' | 'swap-and-lock-calldata-userop' = 'swap-and-lock-calldata-permit2',
): Promise<Json> {
  const data = await ask(base, 'GET', `/swap/${id}/${of}`);
  const same = (of: string, as: string) => text(data, of).toLowerCase() === text(record, as).toLowerCase();
  const right =
    same('preimage_hash', hashField(record)) &&
    same('lock_token_address', 'wbtc_address') &&
    same('claim_address', 'server_evm_address') &&
    same('coordinator_address', 'evm_coordinator_address') &&
    whole(data, 'timelock') === whole(record, 'evm_refund_locktime');
  if (!right) throw new Error(`the calldata is not of the record: ${JSON.stringify(data)}`);
  return data;
}

interface Permission {
  readonly nonce: bigint;
  readonly deadline: number;
  readonly signature: Hex;
}

const field = (type: string, name: string) => ({ name, type });
const lockFields = [field('bytes32', 'preimageHash'), field('address', 'token'), field('address', 'claimAddress')];

/** The Permit2 signature of the published interface (facts/evm.md 4). */
async function permitted(
  { record }: FromEvm,
  data: Json,
  deadline: number,
  sign: (data: TypedDataDefinition) => Promise<Hex>,
): Promise<Permission> {
  const nonce = BigInt(`0x${randomBytes(32).toString('hex')}`);
  const spender = word(data, 'coordinator_address');
  const signature = await sign({
    domain: {
      name: 'Permit2',
      chainId: whole(record, 'evm_chain_id'),
      verifyingContract: word(data, 'permit2_address'),
    },
    types: {
      PermitWitnessTransferFrom: [
        field('TokenPermissions', 'permitted'),
        field('address', 'spender'),
        field('uint256', 'nonce'),
        field('uint256', 'deadline'),
        field('ExecuteAndCreate', 'witness'),
      ],
      TokenPermissions: [field('address', 'token'), field('uint256', 'amount')],
      ExecuteAndCreate: [
        ...lockFields,
        field('address', 'refundAddress'),
        field('uint256', 'timelock'),
        field('bytes32', 'callsHash'),
      ],
    },
    primaryType: 'PermitWitnessTransferFrom',
    message: {
      permitted: { token: word(data, 'source_token_address'), amount: BigInt(text(data, 'source_amount')) },
      spender,
      nonce,
      deadline: BigInt(deadline),
      witness: {
        preimageHash: word(data, 'preimage_hash'),
        token: word(data, 'lock_token_address'),
        claimAddress: word(data, 'claim_address'),
        refundAddress: spender,
        timelock: BigInt(whole(data, 'timelock')),
        callsHash: word(data, 'calls_hash'),
      },
    },
  });
  return { nonce, deadline, signature };
}

/** The token's own permit for Permit2 (EIP-2612), over the domain separator that the calldata repeats. */
async function tokenPermit({ account }: FromEvm, data: Json, deadline: number): Promise<Json | null> {
  const facts = data['eip2612'] as Json;
  if (facts['supported'] !== true || facts['already_approved'] === true) return null;
  const type = 'Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)';
  const struct = encodeAbiParameters(
    ['bytes32', 'address', 'address', 'uint256', 'uint256', 'uint256'].map((each) => ({ type: each })),
    [
      keccak256(stringToBytes(type)),
      account.address,
      word(data, 'permit2_address'),
      maxUint256,
      BigInt(whole(facts, 'nonce')),
      BigInt(deadline),
    ],
  );
  const hash = keccak256(concat(['0x1901', word(facts, 'domain_separator'), keccak256(struct)]));
  return { value: maxUint256.toString(), deadline, ...partsOf(await account.sign({ hash })) };
}

function partsOf(signature: Hex) {
  return {
    v: Number.parseInt(signature.slice(130), 16),
    r: `0x${signature.slice(2, 66)}`,
    s: `0x${signature.slice(66, 130)}`,
  };
}

/** Two signatures and no coins: the service sends the transaction. */
export async function fundGasless(base: string, swap: FromEvm, deadline: number): Promise<Reply> {
  const data = await fundingOf(base, swap);
  const { nonce, signature } = await permitted(swap, data, deadline, byKey(swap));
  const permit = await tokenPermit(swap, data, deadline);
  return send(base, 'POST', `/swap/${swap.id}/fund-gasless`, {
    permit2_nonce: nonce.toString(),
    permit2_deadline: deadline,
    permit2_signature: signature,
    calls: data['calls'],
    ...(permit === null ? {} : { eip2612_permit: permit }),
  });
}

const abi = parseAbi([
  'struct Call { address target; uint256 value; bytes callData; }',
  'struct TokenPermissions { address token; uint256 amount; }',
  'struct PermitTransferFrom { TokenPermissions permitted; uint256 nonce; uint256 deadline; }',
  'function approve(address spender, uint256 amount)',
  'function executeAndCreateWithPermit2(Call[] calls, bytes32 preimageHash, address token, address claimAddress, uint256 timelock, address depositor, PermitTransferFrom permit, bytes signature)',
]);

function walletOf({ account, record }: FromEvm, rpcUrl: string) {
  const chain = chainAt(whole(record, 'evm_chain_id'), rpcUrl);
  const wallet = createWalletClient({ account, chain, transport: http() });
  async function mined(hash: Hex): Promise<string> {
    const { status } = await createPublicClient({
      chain,
      transport: http(),
      pollingInterval,
    }).waitForTransactionReceipt({ hash });
    if (status !== 'success') throw new Error(`the transaction was reverted: ${hash}`);
    return hash;
  }
  return { wallet, mined };
}

/** Lets Permit2 take what the swap needs, for a token without permits of its own; the account needs coins. */
export async function approvePermit2(base: string, swap: FromEvm, rpcUrl: string): Promise<void> {
  const { wallet, mined } = walletOf(swap, rpcUrl);
  const data = await fundingOf(base, swap);
  const args = [word(data, 'permit2_address'), maxUint256] as const;
  await mined(
    await wallet.writeContract({ address: word(data, 'source_token_address'), abi, functionName: 'approve', args }),
  );
}

/**
 * The client's own transactions, for which its account needs coins; answers the hash of the lock's. `meanwhile`: what
 * happens between its signature and its sending.
 */
export async function fundAlone(
  base: string,
  swap: FromEvm,
  rpcUrl: string,
  deadline: number,
  meanwhile: () => Promise<void> = async () => undefined,
): Promise<string> {
  const { wallet, mined } = walletOf(swap, rpcUrl);
  const data = await fundingOf(base, swap);
  const token = word(data, 'source_token_address');
  const amount = BigInt(text(data, 'source_amount'));
  const approval = [word(data, 'permit2_address'), amount] as const;
  await mined(await wallet.writeContract({ address: token, abi, functionName: 'approve', args: approval }));
  const permission = await permitted(swap, data, deadline, byKey(swap));
  await meanwhile();
  return mined(await wallet.sendTransaction(lockOf(data, swap.account.address, permission)));
}

const byKey =
  ({ account }: FromEvm) =>
  (data: TypedDataDefinition) =>
    account.signTypedData(data);

/** The call that makes the lock. */
function lockOf(data: Json, depositor: Hex, { nonce, deadline, signature }: Permission) {
  const permitted = { token: word(data, 'source_token_address'), amount: BigInt(text(data, 'source_amount')) };
  const calls = (data['calls'] as Json[]).map((call) => ({
    target: word(call, 'target'),
    value: BigInt(text(call, 'value')),
    callData: word(call, 'call_data'),
  }));
  const args = [
    calls,
    word(data, 'preimage_hash'),
    word(data, 'lock_token_address'),
    word(data, 'claim_address'),
    BigInt(whole(data, 'timelock')),
    depositor,
    { permitted, nonce, deadline: BigInt(deadline) },
    signature,
  ] as const;
  const callData = encodeFunctionData({ abi, functionName: 'executeAndCreateWithPermit2', args });
  return { to: word(data, 'coordinator_address'), data: callData };
}

const asCall = ({ to, data }: { readonly to: Hex; readonly data: Hex }): Call => ({
  target: to,
  value: 0n,
  callData: data,
});

/** One user operation of an account that need not be the one that the swap names; the hash of its transaction. */
export async function fundByBundler(
  base: string,
  swap: FromEvm,
  account: SmartAccount,
  deadline: number,
): Promise<string> {
  const data = await fundingOf(base, swap, 'swap-and-lock-calldata-userop');
  const aa = data['aa'] as Json;
  if (text(aa, 'entry_point') !== entryPoint07Address) throw new Error('the entry point is another one');
  const amount = BigInt(text(data, 'source_amount'));
  if (amount > swap.price) throw new Error(`it asks for ${amount}, and its record for ${swap.price}`);
  const approval = encodeFunctionData({ abi, functionName: 'approve', args: [word(data, 'permit2_address'), amount] });
  const permission = await permitted(swap, data, deadline, account.sign);
  return account.send([
    asCall({ to: word(data, 'source_token_address'), data: approval }),
    asCall(lockOf(data, account.address, permission)),
  ]);
}

/** As `refundAlone`, by a user operation. */
export async function refundByBundler(base: string, swap: FromEvm, account: SmartAccount): Promise<string> {
  const data = await ask(base, 'GET', `/swap/${swap.id}/refund-and-swap-calldata`);
  return account.send([asCall({ to: word(data, 'coordinator_address'), data: word(data, 'calldata') })]);
}

/** Sends the served call as it is: the chain refuses it before the timelock. */
export async function refundAlone(base: string, swap: FromEvm, rpcUrl: string): Promise<string> {
  const { wallet, mined } = walletOf(swap, rpcUrl);
  const data = await ask(base, 'GET', `/swap/${swap.id}/refund-and-swap-calldata`);
  return mined(await wallet.sendTransaction({ to: word(data, 'coordinator_address'), data: word(data, 'calldata') }));
}

/** What the depositor signs to have its lock back before the timelock, as it is posted. */
export async function signedRefund(base: string, { id, record, account }: FromEvm): Promise<Json> {
  const data = await ask(base, 'GET', `/api/swap/${id}/collab-refund-evm/params`);
  const signature = await account.signTypedData({
    domain: {
      name: 'HTLCCoordinator',
      version: String(whole(data, 'coordinator_version')),
      chainId: whole(record, 'evm_chain_id'),
      verifyingContract: word(record, 'evm_coordinator_address'),
    },
    types: {
      CollabRefund: [
        field('bytes32', 'preimageHash'),
        field('uint256', 'amount'),
        field('address', 'token'),
        field('address', 'claimAddress'),
        field('uint256', 'timelock'),
        field('address', 'caller'),
        field('address', 'sweepToken'),
        field('uint256', 'minAmountOut'),
        field('bytes32', 'callsHash'),
      ],
    },
    primaryType: 'CollabRefund',
    message: {
      preimageHash: word(record, hashField(record)),
      amount: BigInt(text(data, 'amount')),
      token: word(data, 'token'),
      claimAddress: word(data, 'claim_address'),
      timelock: BigInt(whole(data, 'timelock')),
      caller: word(data, 'server_signer_address'),
      sweepToken: word(data, 'sweep_token'),
      minAmountOut: BigInt(text(data, 'min_amount_out')),
      callsHash: word(data, 'calls_hash'),
    },
  });
  return { depositor_address: account.address, ...partsOf(signature) };
}

/** A node that answers 503 is asked again, as its sentence says. */
export async function collabRefund(base: string, swap: FromEvm, body: Json): Promise<Reply> {
  for (let again = 20; ; again -= 1) {
    const reply = await send(base, 'POST', `/api/swap/${swap.id}/collab-refund-evm`, body);
    if (reply.status !== 503 || again === 0) return reply;
    await pause(500);
  }
}
