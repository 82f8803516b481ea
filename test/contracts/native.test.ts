import { type Address, type Hex, decodeErrorResult, zeroAddress } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { domainSeparator, redeemNative, typeHash } from '../../engine/legs/evm/typed-data.ts';
import { errors } from './kit/artifacts.ts';
import { type Contract, type Sending, call } from './kit/chain.ts';
import {
  type NativeLock,
  type NativeWorld,
  claim,
  client,
  clientLock,
  create,
  freshLock,
  fund,
  hashOf,
  keyTerms,
  lockDirectly,
  lockForClient,
  openNative,
  redeem,
  refund,
  refundAndExecute,
  refundTo,
  service,
  signClaim,
  stranger,
} from './kit/native.ts';
import { type Call, permit2Address } from './kit/signing.ts';

let world: NativeWorld;
let actor: Contract;
let start: Hex;

beforeAll(async () => {
  world = await openNative();
  actor = await world.chain.deploy('Actor');
  start = await world.chain.snapshot();
});
afterAll(() => world.chain.stop());
beforeEach(async () => {
  await world.chain.goBack(start);
  start = await world.chain.snapshot();
});

const refusal = (sending: Sending) => world.chain.refusalOf(sending);
const coins = (address: Address) => world.chain.client.getBalance({ address });
const isActive = (lock: NativeLock): Promise<boolean> => world.chain.read(world.htlc, 'isActive', ...keyTerms(lock));
const keyOf = (lock: NativeLock): Promise<Hex> => world.chain.read(world.htlc, 'computeKey', ...keyTerms(lock));
const depositorOf = async (lock: NativeLock): Promise<Address> =>
  world.chain.read(world.coordinator, 'deposits', await keyOf(lock));
const asCall = ({ to, data = '0x', value = 0n }: Sending): Call => ({ target: to, value, callData: data });
const buy = (value: bigint, usd: bigint, to: Address): Call =>
  asCall(call(zeroAddress, world.exchange, 'swap', [zeroAddress, 0n, world.usd.address, usd, to], value));
const usdOf = (who: Address): Promise<bigint> => world.chain.read(world.usd, 'balanceOf', who);
const prepare = ({ to, data = '0x' }: Sending) =>
  world.chain.send(call(stranger.address, actor, 'prepare', [to, data]));

async function attempt(): Promise<string | null> {
  expect(await world.chain.read(actor, 'reached')).toBe(true);
  if (await world.chain.read<boolean>(actor, 'succeeded')) return null;
  return decodeErrorResult({ abi: errors(), data: await world.chain.read<Hex>(actor, 'answer') }).errorName;
}

it('both contracts say their version and what they sign for', async () => {
  const { chain, htlc, coordinator } = world;
  const contract = asEvmAddress(fromHex(htlc.address.slice(2)));
  const separator = domainSeparator({ name: 'HTLCNative', version: '1', chainId: 31, contract });
  expect([await chain.read(htlc, 'VERSION'), await chain.read(coordinator, 'VERSION')]).toEqual([1, 1]);
  expect(await chain.read(htlc, 'DOMAIN_SEPARATOR')).toBe(`0x${toHex(separator)}`);
  expect(await chain.read(htlc, 'TYPEHASH_REDEEM')).toBe(`0x${toHex(typeHash(redeemNative))}`);
  expect(await chain.read<Address>(coordinator, 'HTLC_NATIVE')).toMatch(new RegExp(htlc.address, 'i'));
  expect(await chain.read(coordinator, 'PERMIT2')).toBe(permit2Address);
});

describe('create', () => {
  it('locks the coins sent and tells all terms', async () => {
    const { chain, htlc } = world;
    const lock = await lockDirectly(world);
    const [event] = await chain.client.getContractEvents({ ...htlc, eventName: 'SwapCreated' });
    expect(event?.args).toEqual({
      preimageHash: hashOf(lock),
      refundAddress: service.address,
      claimAddress: client.address,
      token: zeroAddress,
      amount: 1000n,
      timelock: lock.timelock,
      key: await keyOf(lock),
    });
    expect([await coins(htlc.address), await isActive(lock)]).toEqual([1000n, true]);
  });

  it('without a refund address refunds the sender', async () => {
    const lock = await freshLock(world);
    const terms = [hashOf(lock), lock.claimAddress, lock.timelock];
    await world.chain.send(call(service.address, world.htlc, 'create', terms, lock.amount));
    expect(await isActive(lock)).toBe(true);
  });

  it.each([
    ['an amount of zero', { amount: 0n }, 'ZeroAmount'],
    ['no refund address', { refundAddress: zeroAddress }, 'ZeroRefundAddress'],
    ['no claim address', { claimAddress: zeroAddress }, 'ZeroClaimAddress'],
    ['a timelock that has passed', { timelock: 1n }, 'TimelockTooSoon'],
  ] as const)('refuses %s', async (_what, terms, error) => {
    expect(await refusal(create(world, await freshLock(world, terms)))).toBe(error);
  });

  it('refuses a key that is there, and one that was', async () => {
    const lock = await lockDirectly(world);
    expect(await refusal(create(world, lock))).toBe('SwapExists');
    await world.chain.send(redeem(world, lock));
    expect(await refusal(create(world, lock))).toBe('SwapExists');
  });

  it('knows no token in a key', async () => {
    const { chain, htlc, usd } = world;
    const asking = call(stranger.address, htlc, 'isActive', keyTerms(await freshLock(world), usd.address));
    expect(await chain.refusalOf(asking)).toBe('TokenMustBeZero');
  });
});

describe('redeem', () => {
  it('pays the claim address, shows the preimage and keeps it', async () => {
    const { chain, htlc } = world;
    const lock = await lockDirectly(world);
    await chain.send(redeem(world, lock));
    const [event] = await chain.client.getContractEvents({ ...htlc, eventName: 'SwapRedeemed' });
    expect(event?.args).toEqual({ preimageHash: hashOf(lock), key: await keyOf(lock), preimage: lock.preimage });
    expect(await chain.read(htlc, 'swapState', await keyOf(lock))).toEqual([2, lock.preimage]);
    expect(await coins(client.address)).toBe(11_000n);
  });

  it('refuses everybody else who has the preimage, and a second time', async () => {
    const lock = await lockDirectly(world);
    await lockDirectly(world);
    expect(await refusal(redeem(world, lock, stranger.address))).toBe('SwapNotActive');
    await world.chain.send(redeem(world, lock));
    expect(await refusal(redeem(world, lock))).toBe('SwapNotActive');
  });

  it('is refused where the coins cannot be paid', async () => {
    const { chain } = world;
    const lock = await lockDirectly(world, { claimAddress: actor.address });
    await chain.send(call(stranger.address, actor, 'refuse', [true]));
    expect(await refusal(redeem(world, lock))).toBe('EtherTransferFailed');
  });
});

describe('refund', () => {
  it('gives the lock back at the timelock, to another destination too', async () => {
    const { chain, htlc } = world;
    const [one, other] = [await lockDirectly(world), await lockDirectly(world)];
    await chain.moveTo(other.timelock);
    await chain.send(refund(world, one));
    const [event] = await chain.client.getContractEvents({ ...htlc, eventName: 'SwapRefunded' });
    expect(event?.args).toEqual({ preimageHash: hashOf(one), key: await keyOf(one) });
    await chain.send(refund(world, other, service.address, stranger.address));
    expect([await coins(service.address), await coins(stranger.address)]).toEqual([9000n, 1000n]);
    expect(await chain.read(htlc, 'swapState', await keyOf(one))).toEqual([3, `0x${'00'.repeat(32)}`]);
  });

  it('is refused before the timelock, to nobody, to a stranger, and a second time', async () => {
    const lock = await lockDirectly(world);
    await lockDirectly(world);
    expect(await refusal(refund(world, lock))).toBe('TimelockNotExpired');
    await world.chain.moveTo(lock.timelock);
    expect(await refusal(refund(world, lock, service.address, zeroAddress))).toBe('ZeroRecipient');
    expect(await refusal(refund(world, lock, stranger.address))).toBe('SwapNotActive');
    await world.chain.send(refund(world, lock));
    expect(await refusal(refund(world, lock))).toBe('SwapNotActive');
  });
});

describe('a claim by signature', () => {
  it('pays the destination, sent by anybody', async () => {
    await world.chain.send(await claim(world, await lockDirectly(world)));
    expect(await coins(client.address)).toBe(11_000n);
  });

  it('pays what the calls brought, and the coins that they left', async () => {
    const { chain, usd, coordinator } = world;
    await chain.setBalance(coordinator.address, 5n);
    const calls = [buy(900n, 50n, coordinator.address)];
    await chain.send(
      await claim(world, await lockDirectly(world), { calls, sweepToken: usd.address, minAmountOut: 50n }),
    );
    expect([await usdOf(client.address), await coins(client.address)]).toEqual([50n, 10_100n]);
    expect(await coins(coordinator.address)).toBe(5n);
  });

  it('is refused below its floor and to nobody', async () => {
    const lock = await lockDirectly(world);
    expect(await refusal(await claim(world, lock, { minAmountOut: 1001n }))).toBe('InsufficientBalance');
    expect(await refusal(await claim(world, lock, { destination: zeroAddress }))).toBe('ZeroDestination');
  });

  it.each([
    ['destination', { destination: stranger.address }],
    ['floor', { minAmountOut: 999n }],
    ['token', { sweepToken: stranger.address }],
    ['call', { calls: [{ target: stranger.address, value: 0n, callData: '0x' }] }],
  ] as const)('is refused with another %s than the one signed', async (_what, signed) => {
    expect(await refusal(await claim(world, await lockDirectly(world), {}, { signed }))).toBe('SwapNotActive');
  });

  it.each([
    ['version', { version: '4' }],
    ['chain', { chainId: 30 }],
    ['contract', { verifyingContract: stranger.address }],
  ] as const)('is refused where it was signed for another %s', async (_what, other) => {
    const domain = { ...world.domain, ...other };
    expect(await refusal(await claim(world, await lockDirectly(world), {}, { domain }))).toBe('SwapNotActive');
  });

  it('is refused to a sender that the claimer did not name', async () => {
    const lock = await lockDirectly(world);
    const signature = await signClaim(world, lock);
    const terms = [lock.preimage, lock.amount, lock.refundAddress, lock.timelock, client.address, zeroAddress];
    const noCalls = '0x569e75fc77c1a856f6daaf9e69d8a9566ca34aa47f9133711ce065a571af0cfd';
    const sending = call(stranger.address, world.htlc, 'redeemBySig', [...terms, lock.amount, noCalls, ...signature]);
    expect(await refusal(sending)).toBe('SwapNotActive');
  });
});

describe('funding', () => {
  it('locks exactly the amount and gives back the rest', async () => {
    const { chain, coordinator } = world;
    const lock = await clientLock(world);
    await chain.send(fund(world, lock, { value: 1500n, calls: [buy(200n, 20n, client.address)] }));
    expect([await coins(client.address), await coins(coordinator.address)]).toEqual([8800n, 0n]);
    expect([await isActive(lock), await depositorOf(lock)]).toEqual([true, client.address]);
  });

  it('is refused where too little is left', async () => {
    const lock = await clientLock(world);
    expect(await refusal(fund(world, lock, { value: 999n }))).toBe('InsufficientBalance');
  });

  it('spends no coins that were here before', async () => {
    const { chain, coordinator, exchange } = world;
    await chain.setBalance(coordinator.address, 5000n);
    const lock = await clientLock(world);
    expect(await refusal(fund(world, lock, { value: 0n }))).toBe('InsufficientBalance');
    const take = { target: exchange.address, value: 2000n, callData: '0x' } as const;
    expect(await refusal(fund(world, lock, { value: 1000n, calls: [take] }))).toBe('CallsOverspent');
  });

  it('is refused where the rest cannot be given back', async () => {
    const { chain } = world;
    await chain.setBalance(actor.address, 2000n);
    await chain.send(call(stranger.address, actor, 'refuse', [true]));
    const lock = await clientLock(world);
    expect(await refusal(fund(world, lock, { value: 1001n, from: actor.address }))).toBe('EtherTransferFailed');
  });

  it('of the same terms by somebody else leaves the first depositor what he has', async () => {
    const lock = await lockForClient(world);
    expect(await refusal(fund(world, lock, { from: service.address }))).toBe('SwapExists');
    expect(await depositorOf(lock)).toBe(client.address);
  });
});

describe('a refund of what was funded', () => {
  it('pays the depositor, sent by anybody, once', async () => {
    const lock = await lockForClient(world);
    await lockForClient(world);
    expect(await refusal(refundTo(world, lock))).toBe('TimelockNotExpired');
    await world.chain.moveTo(lock.timelock);
    await world.chain.send(refundTo(world, lock));
    expect([await coins(client.address), await depositorOf(lock)]).toEqual([9000n, zeroAddress]);
    expect(await refusal(refundTo(world, lock))).toBe('UnknownHtlc');
  });

  it('through calls pays what they brought and left, to the depositor alone', async () => {
    const { chain, usd, coordinator } = world;
    const lock = await lockForClient(world);
    expect(await refusal(refundAndExecute(world, lock))).toBe('TimelockNotExpired');
    await chain.moveTo(lock.timelock);
    expect(await refusal(refundAndExecute(world, lock, { from: stranger.address }))).toBe('Unauthorized');
    const calls = [buy(900n, 50n, coordinator.address)];
    const terms = { calls, sweepToken: usd.address, minAmountOut: 50n };
    expect(await refusal(refundAndExecute(world, lock, { ...terms, minAmountOut: 51n }))).toBe('InsufficientBalance');
    await chain.send(refundAndExecute(world, lock, terms));
    expect([await usdOf(client.address), await coins(client.address)]).toEqual([50n, 9100n]);
    expect(await refusal(refundAndExecute(world, lock))).toBe('UnknownHtlc');
  });

  it('is refused for a lock that the coordinator did not make', async () => {
    const lock = await lockDirectly(world, { refundAddress: world.coordinator.address });
    await world.chain.moveTo(lock.timelock);
    expect([await refusal(refundTo(world, lock)), await refusal(refundAndExecute(world, lock))]).toEqual([
      'UnknownHtlc',
      'UnknownHtlc',
    ]);
  });
});

describe('calls', () => {
  it.each(['HTLC', 'coordinator', 'Permit2'] as const)('may not reach %s', async (name) => {
    const targets = { HTLC: world.htlc.address, coordinator: world.coordinator.address, Permit2: permit2Address };
    const calls: Call[] = [{ target: targets[name], value: 0n, callData: '0x' }];
    expect(await refusal(fund(world, await clientLock(world), { calls }))).toBe('RestrictedTarget');
    expect(await refusal(await claim(world, await lockDirectly(world), { calls }))).toBe('RestrictedTarget');
    const lock = await lockForClient(world);
    await world.chain.moveTo(lock.timelock);
    expect(await refusal(refundAndExecute(world, lock, { calls }))).toBe('RestrictedTarget');
  });
});

describe('a contract that gets control by being paid', () => {
  it.each(['redeem', 'redeemBySig', 'refund', 'refund to another'] as const)(
    'cannot re-enter the HTLC from: %s',
    async (outer) => {
      const { chain } = world;
      const lock = await lockDirectly(world, { claimAddress: actor.address, refundAddress: actor.address });
      const bySig = await lockDirectly(world);
      await chain.setBalance(actor.address, 1000n);
      await prepare(redeem(world, await lockDirectly(world, { claimAddress: actor.address })));
      if (outer.startsWith('refund')) await chain.moveTo(lock.timelock);
      if (outer === 'redeem') await chain.send(redeem(world, lock));
      else if (outer === 'refund') await chain.send(refund(world, lock));
      else if (outer === 'refund to another') await chain.send(refund(world, lock, actor.address, actor.address));
      else {
        const signature = await signClaim(world, bySig, {}, { caller: actor.address });
        const terms = [bySig.preimage, bySig.amount, bySig.refundAddress, bySig.timelock, client.address, zeroAddress];
        const noCalls = '0x569e75fc77c1a856f6daaf9e69d8a9566ca34aa47f9133711ce065a571af0cfd';
        await chain.send(
          call(actor.address, world.htlc, 'redeemBySig', [...terms, bySig.amount, noCalls, ...signature]),
        );
      }
      expect(await attempt()).toBe('ReentrancyGuardReentrantCall');
    },
  );

  it.each(['create', 'create for another', 'refund', 'refund to another', 'redeemBySig'] as const)(
    'cannot re-enter the HTLC by: %s',
    async (inner) => {
      const { chain, htlc } = world;
      const outer = await lockDirectly(world, { claimAddress: actor.address, timelock: (await chain.now()) + 5000n });
      const own = await lockDirectly(world, { refundAddress: actor.address });
      const fresh = await freshLock(world, { amount: 0n });
      const bySig = await lockDirectly(world);
      const signature = await signClaim(world, bySig, {}, { caller: actor.address });
      const terms = [bySig.preimage, bySig.amount, bySig.refundAddress, bySig.timelock, client.address, zeroAddress];
      const noCalls = '0x569e75fc77c1a856f6daaf9e69d8a9566ca34aa47f9133711ce065a571af0cfd';
      await chain.moveTo(own.timelock);
      await prepare(
        {
          create: call(actor.address, htlc, 'create', [hashOf(fresh), fresh.claimAddress, fresh.timelock]),
          'create for another': create(world, fresh, actor.address),
          refund: refund(world, own),
          'refund to another': refund(world, own, actor.address, stranger.address),
          redeemBySig: call(actor.address, htlc, 'redeemBySig', [...terms, bySig.amount, noCalls, ...signature]),
        }[inner],
      );
      await chain.send(redeem(world, outer));
      expect(await attempt()).toBe('ReentrancyGuardReentrantCall');
    },
  );

  it.each(['redeem', 'refund'] as const)('sees a %s done before it is paid', async (act) => {
    const { chain, htlc } = world;
    const lock = await lockDirectly(world, { claimAddress: actor.address, refundAddress: actor.address });
    await prepare(call(actor.address, htlc, 'isActive', keyTerms(lock)));
    if (act === 'refund') await chain.moveTo(lock.timelock);
    await chain.send(act === 'redeem' ? redeem(world, lock) : refund(world, lock));
    expect(BigInt(await chain.read<Hex>(actor, 'answer'))).toBe(0n);
    expect(await attempt()).toBeNull();
  });

  it.each(['executeAndCreate', 'redeemAndExecute', 'refundAndExecute'] as const)(
    'cannot re-enter the coordinator from %s',
    async (outer) => {
      const { chain } = world;
      const poke = asCall(call(zeroAddress, actor, 'poke', []));
      const lock = await lockForClient(world);
      await prepare(await claim(world, await lockDirectly(world)));
      if (outer === 'executeAndCreate') await chain.send(fund(world, await clientLock(world), { calls: [poke] }));
      else if (outer === 'redeemAndExecute')
        await chain.send(await claim(world, await lockDirectly(world), { calls: [poke] }));
      else {
        await chain.moveTo(lock.timelock);
        await chain.send(refundAndExecute(world, lock, { calls: [poke] }));
      }
      expect(await attempt()).toBe('ReentrancyGuardReentrantCall');
    },
  );

  it.each(['executeAndCreate', 'refundAndExecute', 'refundTo'] as const)(
    'cannot re-enter the coordinator by %s',
    async (inner) => {
      const { chain } = world;
      const lock = await lockForClient(world);
      const fresh = await clientLock(world, { amount: 0n });
      await chain.moveTo(lock.timelock);
      const acts = {
        executeAndCreate: fund(world, fresh),
        refundAndExecute: refundAndExecute(world, lock),
        refundTo: refundTo(world, lock),
      };
      await prepare(acts[inner]);
      await chain.send(await claim(world, await lockDirectly(world), { destination: actor.address }));
      expect(await attempt()).toBe('ReentrancyGuardReentrantCall');
    },
  );

  it('cannot re-enter the coordinator from refundTo', async () => {
    const { chain } = world;
    await chain.setBalance(actor.address, 1000n);
    const lock = await clientLock(world);
    await chain.send(fund(world, lock, { from: actor.address }));
    const poor = await clientLock(world, { amount: 0n });
    await prepare(fund(world, poor));
    await chain.moveTo(lock.timelock);
    await chain.send(refundTo(world, lock));
    expect(await attempt()).toBe('ReentrancyGuardReentrantCall');
  });
});
