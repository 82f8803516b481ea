import { type Address, type Hex, maxUint256, sha256, toHex, zeroAddress } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { permit2Code } from './artifacts.ts';
import { type Chain, type Contract, type Sending, call, openChain } from './chain.ts';
import { type Call, type Domain, account, hashOfCalls, permit2Address, permitData, sign } from './signing.ts';

/** A lock of a token, by all that it consists of, and its preimage. */
export interface Lock {
  readonly preimage: Hex;
  readonly amount: bigint;
  readonly token: Address;
  readonly refundAddress: Address;
  readonly claimAddress: Address;
  readonly timelock: bigint;
}

export const client = account('c1');
export const service = account('5e');
export const stranger = account('99');

export type Erc20World = Awaited<ReturnType<typeof openErc20>>;

/** The ERC-20 pair on a chain of its own, Permit2 at its address, two tokens and an exchange with both in stock. */
export async function openErc20(chainId = 137, gasPrice = 0) {
  const chain = await openChain(chainId, gasPrice);
  await chain.setCode(permit2Address, permit2Code());
  const htlc = await chain.deploy('HTLCErc20');
  const coordinator = await chain.deploy('HTLCCoordinator', [htlc.address, permit2Address]);
  const btc = await chain.deploy('TestToken', ['WBTC', 8]);
  const usd = await chain.deploy('TestToken', ['USDC', 6]);
  const exchange = await chain.deploy('Exchange');
  for (const token of [btc, usd]) await give(chain, token, exchange.address, 10n ** 12n);
  const htlcDomain: Domain = { name: 'HTLCErc20', version: '4', chainId, verifyingContract: htlc.address };
  const coordinatorDomain: Domain = {
    name: 'HTLCCoordinator',
    version: '3',
    chainId,
    verifyingContract: coordinator.address,
  };
  return { chain, htlc, coordinator, btc, usd, exchange, htlcDomain, coordinatorDomain };
}

export async function give(chain: Chain, token: Contract, to: Address, amount: bigint): Promise<void> {
  await chain.send(call(stranger.address, token, 'mint', [to, amount]));
}

export async function approve(chain: Chain, token: Contract, owner: Address, spender: Address): Promise<void> {
  await chain.send(call(owner, token, 'approve', [spender, maxUint256]));
}

export function balance(chain: Chain, token: Contract, of: Address): Promise<bigint> {
  return chain.read(token, 'balanceOf', of);
}

let preimages = 0n;

/** A lock of the service for the client: 1000 units, refundable in an hour. */
export async function freshLock({ chain, btc }: Erc20World, terms: Partial<Lock> = {}): Promise<Lock> {
  return {
    preimage: toHex((preimages += 1n), { size: 32 }),
    amount: 1000n,
    token: btc.address,
    refundAddress: service.address,
    claimAddress: client.address,
    timelock: (await chain.now()) + 3600n,
    ...terms,
  };
}

export function hashOf({ preimage }: Lock): Hex {
  return sha256(preimage);
}

/** The six terms in the order of the key. */
export function keyTerms(lock: Lock): readonly unknown[] {
  return [hashOf(lock), lock.amount, lock.token, lock.refundAddress, lock.claimAddress, lock.timelock];
}

/** The service locks, with its tokens and its approval given first. */
export async function lockDirectly(world: Erc20World, terms: Partial<Lock> = {}): Promise<Lock> {
  const { chain, htlc } = world;
  const lock = await freshLock(world, terms);
  const token = { address: lock.token, abi: world.btc.abi };
  await give(chain, token, service.address, lock.amount);
  await approve(chain, token, service.address, htlc.address);
  await chain.send(create(world, lock));
  return lock;
}

export function create({ htlc }: Erc20World, lock: Lock, from: Address = service.address): Sending {
  return call(from, htlc, 'create', keyTerms(lock));
}

export function redeem({ htlc }: Erc20World, lock: Lock, from: Address = lock.claimAddress): Sending {
  return call(from, htlc, 'redeem', [lock.preimage, lock.amount, lock.token, lock.refundAddress, lock.timelock]);
}

export function refund({ htlc }: Erc20World, lock: Lock, from: Address = lock.refundAddress, to?: Address): Sending {
  const terms = [hashOf(lock), lock.amount, lock.token, lock.claimAddress, lock.timelock];
  return call(from, htlc, 'refund', to === undefined ? terms : [...terms, to]);
}

/** What a claim by signature may say beside the lock's own terms. */
export interface Claim {
  readonly calls: readonly Call[];
  readonly destination: Address;
  readonly sweepToken: Address;
  readonly minAmountOut: bigint;
}

function claimOf(lock: Lock, claim: Partial<Claim>): Claim {
  return { calls: [], destination: client.address, sweepToken: lock.token, minAmountOut: 0n, ...claim };
}

interface Signed {
  readonly signer?: PrivateKeyAccount;
  readonly domain?: Domain;
  readonly caller?: Address;
}

/** The claimer's signature under a claim. */
export function signClaim(world: Erc20World, lock: Lock, claim: Partial<Claim> = {}, by: Signed = {}) {
  const { calls, destination, sweepToken, minAmountOut } = claimOf(lock, claim);
  return sign(by.signer ?? client, 'Redeem', by.domain ?? world.htlcDomain, {
    preimage: lock.preimage,
    amount: lock.amount,
    token: lock.token,
    sender: lock.refundAddress,
    timelock: lock.timelock,
    caller: by.caller ?? world.coordinator.address,
    destination,
    sweepToken,
    minAmountOut,
    callsHash: hashOfCalls(calls),
  });
}

/** A claim through the coordinator, by anybody; `signed` is what the signature is over where that differs. */
export async function claim(
  world: Erc20World,
  lock: Lock,
  terms: Partial<Claim> = {},
  by: Signed & { readonly signed?: Partial<Claim>; readonly from?: Address; readonly value?: bigint } = {},
): Promise<Sending> {
  const { calls, destination, sweepToken, minAmountOut } = claimOf(lock, terms);
  const signature = await signClaim(world, lock, by.signed ?? terms, by);
  const args = [lock.preimage, lock.amount, lock.token, lock.refundAddress, lock.timelock, calls, sweepToken];
  return call(
    by.from ?? stranger.address,
    world.coordinator,
    'redeemAndExecute',
    [...args, minAmountOut, destination, ...signature],
    by.value ?? 0n,
  );
}

/** What a client's funding consists of beside the lock. */
export interface Funding {
  readonly source: Contract;
  readonly sourceAmount: bigint;
  readonly calls: readonly Call[];
  readonly nonce: bigint;
  readonly deadline: bigint;
}

let nonces = 0n;

/** A lock that the coordinator makes for the client, claimed by the service. */
export function clientLock(world: Erc20World, terms: Partial<Lock> = {}): Promise<Lock> {
  return freshLock(world, { refundAddress: world.coordinator.address, claimAddress: service.address, ...terms });
}

/** A funding by the client's Permit2 signature; `signed` stands in for terms that the signature is over. */
export async function fund(
  world: Erc20World,
  lock: Lock,
  funding: Partial<Funding> = {},
  by: {
    readonly signed?: Partial<Lock & Funding>;
    readonly from?: Address;
    readonly depositor?: Address;
    readonly signer?: PrivateKeyAccount;
    readonly chainId?: number;
    readonly spender?: Address;
  } = {},
): Promise<Sending> {
  const { chain, coordinator, btc } = world;
  const { source, sourceAmount, calls, nonce, deadline } = {
    source: btc,
    sourceAmount: lock.amount,
    calls: [],
    nonce: (nonces += 1n),
    deadline: 2n ** 40n,
    ...funding,
  };
  const signed = { ...lock, calls, ...by.signed };
  const permit = { permitted: { token: source.address, amount: sourceAmount }, nonce, deadline };
  const witness = {
    preimageHash: hashOf(signed),
    token: signed.token,
    claimAddress: signed.claimAddress,
    refundAddress: signed.refundAddress,
    timelock: signed.timelock,
    callsHash: hashOfCalls(signed.calls),
  };
  const data = permitData(by.chainId ?? chain.chainId, by.spender ?? coordinator.address, permit, witness);
  const signature = await (by.signer ?? client).signTypedData(data);
  const terms = [calls, hashOf(lock), lock.token, lock.claimAddress, lock.timelock, by.depositor ?? client.address];
  return call(by.from ?? stranger.address, coordinator, 'executeAndCreateWithPermit2', [...terms, permit, signature]);
}

/** The client has tokens and has approved Permit2, and funds a lock that is sent by somebody else. */
export async function lockForClient(world: Erc20World, terms: Partial<Lock> = {}): Promise<Lock> {
  const lock = await clientLock(world, terms);
  await give(world.chain, world.btc, client.address, lock.amount);
  await approve(world.chain, world.btc, client.address, permit2Address);
  await world.chain.send(await fund(world, lock));
  return lock;
}

/** Swaps on the exchange as the node builds it: approve, then swap. */
export function swapCalls(
  { exchange }: Erc20World,
  from: Contract,
  amountIn: bigint,
  to: Address,
  amountOut: bigint,
  receiver: Address,
  approved = amountIn,
): Call[] {
  const approval = call(zeroAddress, from, 'approve', [exchange.address, approved]);
  const swap = call(zeroAddress, exchange, 'swap', [from.address, amountIn, to, amountOut, receiver]);
  return [approval, swap].map(asCall);
}

export function asCall({ to, data = '0x', value = 0n }: Sending): Call {
  return { target: to, value, callData: data };
}

/** A collaborative refund with both signatures; what either is over may differ. */
export async function collabRefund(
  world: Erc20World,
  lock: Lock,
  by: {
    readonly calls?: readonly Call[];
    readonly from?: Address;
    readonly caller?: Address;
    readonly depositor?: PrivateKeyAccount;
    readonly claimer?: PrivateKeyAccount;
    readonly coordinatorDomain?: Domain;
    readonly htlcDomain?: Domain;
    readonly sweepToken?: Address;
    readonly minAmountOut?: bigint;
    /** What the depositor signed, where that is not what is sent. */
    readonly signed?: { readonly calls?: readonly Call[] };
  } = {},
): Promise<Sending> {
  const { coordinator } = world;
  const from = by.from ?? service.address;
  const sweepToken = by.sweepToken ?? lock.token;
  const minAmountOut = by.minAmountOut ?? 0n;
  const calls = by.calls ?? [];
  const terms = { preimageHash: hashOf(lock), amount: lock.amount, token: lock.token, timelock: lock.timelock };
  const consent = await sign(by.depositor ?? client, 'CollabRefund', by.coordinatorDomain ?? world.coordinatorDomain, {
    ...terms,
    claimAddress: lock.claimAddress,
    caller: by.caller ?? from,
    sweepToken,
    minAmountOut,
    callsHash: hashOfCalls(by.signed?.calls ?? calls),
  });
  const waiver = await sign(by.claimer ?? service, 'Refund', by.htlcDomain ?? world.htlcDomain, {
    ...terms,
    refundAddress: coordinator.address,
    caller: coordinator.address,
    destination: client.address,
    sweepToken,
    minAmountOut,
  });
  const { amount, token, claimAddress, timelock } = lock;
  const args = [hashOf(lock), amount, token, claimAddress, timelock, calls, sweepToken, minAmountOut];
  return call(from, coordinator, 'collabRefundAndExecute', [...args, ...consent, ...waiver]);
}

export function refundTo({ coordinator }: Erc20World, lock: Lock, from: Address = stranger.address): Sending {
  const args = [hashOf(lock), lock.amount, lock.token, lock.claimAddress, lock.timelock];
  return call(from, coordinator, 'refundTo', args);
}

export function refundAndExecute(
  { coordinator }: Erc20World,
  lock: Lock,
  {
    calls = [],
    sweepToken = lock.token,
    minAmountOut = 0n,
    from = client.address,
  }: Partial<Claim> & {
    readonly from?: Address;
  } = {},
): Sending {
  const args = [hashOf(lock), lock.amount, lock.token, lock.claimAddress, lock.timelock, calls, sweepToken];
  return call(from, coordinator, 'refundAndExecute', [...args, minAmountOut]);
}
