import { type Address, type Hex, sha256, toHex, zeroAddress } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { type Sending, call, openChain } from './chain.ts';
import { type Call, type Domain, account, hashOfCalls, sign } from './signing.ts';

/** A lock of the native coin, by all that it consists of, and its preimage. */
export interface NativeLock {
  readonly preimage: Hex;
  readonly amount: bigint;
  readonly refundAddress: Address;
  readonly claimAddress: Address;
  readonly timelock: bigint;
}

export const client = account('c1');
export const service = account('5e');
export const stranger = account('99');

export type NativeWorld = Awaited<ReturnType<typeof openNative>>;

/**
 * The native pair on a chain of its own, with a token and an exchange. The client and the service have 10,000 wei each.
 */
export async function openNative(chainId = 31) {
  const chain = await openChain(chainId);
  const htlc = await chain.deploy('HTLCNative');
  const coordinator = await chain.deploy('HTLCNativeCoordinator', [htlc.address]);
  const usd = await chain.deploy('TestToken', ['USDC', 6]);
  const exchange = await chain.deploy('Exchange');
  await chain.send(call(stranger.address, usd, 'mint', [exchange.address, 10n ** 12n]));
  for (const { address } of [client, service]) await chain.setBalance(address, 10_000n);
  await chain.setBalance(stranger.address, 0n);
  const domain: Domain = { name: 'HTLCNative', version: '1', chainId, verifyingContract: htlc.address };
  return { chain, htlc, coordinator, usd, exchange, domain };
}

let preimages = 0n;

/** A lock of the service for the client: 1000 wei, refundable in an hour. */
export async function freshLock({ chain }: NativeWorld, terms: Partial<NativeLock> = {}): Promise<NativeLock> {
  return {
    preimage: toHex((preimages += 1n), { size: 32 }),
    amount: 1000n,
    refundAddress: service.address,
    claimAddress: client.address,
    timelock: (await chain.now()) + 3600n,
    ...terms,
  };
}

export function hashOf({ preimage }: NativeLock): Hex {
  return sha256(preimage);
}

export function keyTerms(lock: NativeLock, token: Address = zeroAddress): readonly unknown[] {
  return [hashOf(lock), lock.amount, token, lock.refundAddress, lock.claimAddress, lock.timelock];
}

export function create({ htlc }: NativeWorld, lock: NativeLock, from: Address = service.address): Sending {
  const terms = [hashOf(lock), lock.refundAddress, lock.claimAddress, lock.timelock];
  return call(from, htlc, 'create', terms, lock.amount);
}

export async function lockDirectly(world: NativeWorld, terms: Partial<NativeLock> = {}): Promise<NativeLock> {
  const lock = await freshLock(world, terms);
  await world.chain.send(create(world, lock));
  return lock;
}

export function redeem({ htlc }: NativeWorld, lock: NativeLock, from: Address = lock.claimAddress): Sending {
  return call(from, htlc, 'redeem', [lock.preimage, lock.amount, lock.refundAddress, lock.timelock]);
}

export function refund(
  { htlc }: NativeWorld,
  lock: NativeLock,
  from: Address = lock.refundAddress,
  to?: Address,
): Sending {
  const terms = [hashOf(lock), lock.amount, lock.claimAddress, lock.timelock];
  return call(from, htlc, 'refund', to === undefined ? terms : [...terms, to]);
}

interface Claim {
  readonly calls: readonly Call[];
  readonly destination: Address;
  readonly sweepToken: Address;
  readonly minAmountOut: bigint;
}

interface By {
  readonly signer?: PrivateKeyAccount;
  readonly domain?: Domain;
  readonly caller?: Address;
  readonly signed?: Partial<Claim>;
  readonly value?: bigint;
}

function claimOf(lock: NativeLock, claim: Partial<Claim>): Claim {
  return { calls: [], destination: client.address, sweepToken: zeroAddress, minAmountOut: lock.amount, ...claim };
}

export function signClaim(world: NativeWorld, lock: NativeLock, terms: Partial<Claim> = {}, by: By = {}) {
  const { calls, destination, sweepToken, minAmountOut } = claimOf(lock, terms);
  return sign(by.signer ?? client, 'RedeemNative', by.domain ?? world.domain, {
    preimage: lock.preimage,
    amount: lock.amount,
    sender: lock.refundAddress,
    timelock: lock.timelock,
    caller: by.caller ?? world.coordinator.address,
    destination,
    sweepToken,
    minAmountOut,
    callsHash: hashOfCalls(calls),
  });
}

/** A claim through the coordinator, sent by a stranger; `signed` is what the signature is over where that differs. */
export async function claim(
  world: NativeWorld,
  lock: NativeLock,
  terms: Partial<Claim> = {},
  by: By = {},
): Promise<Sending> {
  const { calls, destination, sweepToken, minAmountOut } = claimOf(lock, terms);
  const signature = await signClaim(world, lock, by.signed ?? terms, by);
  const args = [lock.preimage, lock.amount, lock.refundAddress, lock.timelock, calls, sweepToken, minAmountOut];
  const all = [...args, destination, ...signature];
  return call(stranger.address, world.coordinator, 'redeemAndExecute', all, by.value ?? 0n);
}

/** A lock that the coordinator makes for the client. */
export async function clientLock(world: NativeWorld, terms: Partial<NativeLock> = {}): Promise<NativeLock> {
  return freshLock(world, { refundAddress: world.coordinator.address, claimAddress: service.address, ...terms });
}

export function fund(
  { coordinator }: NativeWorld,
  lock: NativeLock,
  {
    calls = [],
    value = lock.amount,
    from = client.address,
  }: Partial<{ calls: Call[]; value: bigint; from: Address }> = {},
): Sending {
  const terms = [calls, hashOf(lock), lock.amount, lock.claimAddress, lock.timelock];
  return call(from, coordinator, 'executeAndCreate', terms, value);
}

export async function lockForClient(world: NativeWorld, terms: Partial<NativeLock> = {}): Promise<NativeLock> {
  const lock = await clientLock(world, terms);
  await world.chain.send(fund(world, lock));
  return lock;
}

export function refundTo({ coordinator }: NativeWorld, lock: NativeLock): Sending {
  return call(stranger.address, coordinator, 'refundTo', [hashOf(lock), lock.amount, lock.claimAddress, lock.timelock]);
}

export function refundAndExecute(
  { coordinator }: NativeWorld,
  lock: NativeLock,
  {
    calls = [],
    sweepToken = zeroAddress,
    minAmountOut = 0n,
    from = client.address,
  }: Partial<Claim> & {
    readonly from?: Address;
  } = {},
): Sending {
  const terms = [hashOf(lock), lock.amount, lock.claimAddress, lock.timelock, calls, sweepToken, minAmountOut];
  return call(from, coordinator, 'refundAndExecute', terms);
}
