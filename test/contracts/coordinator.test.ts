import { type Address, type Hex, zeroAddress, zeroHash } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import {
  collabRefund as collabStruct,
  domainSeparator,
  executeAndCreate,
  typeHash,
} from '../../engine/legs/evm/typed-data.ts';
import { type Sending, call } from './kit/chain.ts';
import {
  type Erc20World,
  type Lock,
  approve,
  asCall,
  balance,
  claim,
  client,
  clientLock,
  collabRefund,
  fund,
  give,
  keyTerms,
  lockDirectly,
  lockForClient,
  openErc20,
  redeem,
  refundAndExecute,
  refundTo,
  service,
  stranger,
  swapCalls,
} from './kit/erc20.ts';
import { permit2Address } from './kit/signing.ts';

let world: Erc20World;
let start: Hex;

beforeAll(async () => {
  world = await openErc20();
  await give(world.chain, world.btc, client.address, 10_000n);
  await give(world.chain, world.usd, client.address, 10_000n);
  for (const token of [world.btc, world.usd]) await approve(world.chain, token, client.address, permit2Address);
  start = await world.chain.snapshot();
});
afterAll(() => world.chain.stop());
beforeEach(async () => {
  await world.chain.goBack(start);
  start = await world.chain.snapshot();
});

const refusal = (sending: Sending) => world.chain.refusalOf(sending);
const btcOf = (who: Address) => balance(world.chain, world.btc, who);
const usdOf = (who: Address) => balance(world.chain, world.usd, who);
const isActive = (lock: Lock): Promise<boolean> => world.chain.read(world.htlc, 'isActive', ...keyTerms(lock));
const depositorOf = async (lock: Lock): Promise<Address> =>
  world.chain.read(world.coordinator, 'deposits', await world.chain.read(world.htlc, 'computeKey', ...keyTerms(lock)));

/** Nothing stays with the coordinator, and nothing that it may spend of it. */
async function expectEmpty(): Promise<void> {
  const { chain, coordinator, exchange, btc, usd } = world;
  expect([await btcOf(coordinator.address), await usdOf(coordinator.address)]).toEqual([0n, 0n]);
  for (const token of [btc, usd])
    expect(await chain.read(token, 'allowance', coordinator.address, exchange.address)).toBe(0n);
}

it('is version 3 with the domain and the type hashes of the engine, over its own HTLC and Permit2', async () => {
  const { chain, coordinator, htlc } = world;
  const contract = asEvmAddress(fromHex(coordinator.address.slice(2)));
  const separator = domainSeparator({ name: 'HTLCCoordinator', version: '3', chainId: 137, contract });
  expect(await chain.read(coordinator, 'VERSION')).toBe(3);
  expect(await chain.read(coordinator, 'DOMAIN_SEPARATOR')).toBe(`0x${toHex(separator)}`);
  expect(await chain.read(coordinator, 'TYPEHASH_COLLAB_REFUND')).toBe(`0x${toHex(typeHash(collabStruct))}`);
  expect(await chain.read(coordinator, 'TYPEHASH_EXECUTE_AND_CREATE')).toBe(`0x${toHex(typeHash(executeAndCreate))}`);
  expect(await chain.read<Address>(coordinator, 'HTLC')).toMatch(new RegExp(htlc.address, 'i'));
  expect(await chain.read(coordinator, 'PERMIT2')).toBe(permit2Address);
});

it('finds Permit2 at its address with the published domain of chain 137', async () => {
  const separator = await world.chain.client.call({ to: permit2Address, data: '0x3644e515' });
  expect(separator.data).toBe('0xf033048cb2764f596bc4d98e089fa38bb84b4be3d5da2e77f9bfac0e4d6c68ca');
});

describe('funding', () => {
  it('locks the permitted tokens for the client, sent by anybody', async () => {
    const lock = await clientLock(world);
    await world.chain.send(await fund(world, lock));
    expect([await isActive(lock), await depositorOf(lock), await btcOf(client.address)]).toEqual([
      true,
      client.address,
      9000n,
    ]);
    await expectEmpty();
  });

  it('locks all that the swap brought, and gives back what it did not use', async () => {
    const { usd, btc, coordinator } = world;
    const lock = await clientLock(world, { amount: 1100n });
    const calls = swapCalls(world, usd, 400n, btc.address, 1100n, coordinator.address, 500n);
    await world.chain.send(await fund(world, lock, { source: usd, sourceAmount: 500n, calls }));
    expect([await isActive(lock), await usdOf(client.address)]).toEqual([true, 9600n]);
    await expectEmpty();
  });

  it('locks what somebody sent here before as well, and tells it in the event', async () => {
    const { chain, btc, htlc, coordinator } = world;
    await give(chain, btc, coordinator.address, 7n);
    const lock = await clientLock(world);
    await chain.send(await fund(world, lock));
    const [event] = await chain.client.getContractEvents({ ...htlc, eventName: 'SwapCreated' });
    expect(event?.args).toMatchObject({ amount: 1007n });
    expect(await isActive({ ...lock, amount: 1007n })).toBe(true);
  });

  const other = {
    preimage: `0x${'77'.repeat(32)}`,
    claimAddress: stranger.address,
    refundAddress: client.address,
  } as const;
  it.each([
    ['hash', { preimage: other.preimage }],
    ['claim address', { claimAddress: other.claimAddress }],
    ['refund address', { refundAddress: other.refundAddress }],
    ['timelock', { timelock: 1n }],
    ['lock token', { token: stranger.address }],
    ['call', { calls: [{ target: stranger.address, value: 0n, callData: '0x' }] }],
  ] as const)('refuses another %s than the one signed', async (_what, signed) => {
    expect(await refusal(await fund(world, await clientLock(world), {}, { signed }))).toBe('InvalidSigner');
  });

  it('refuses a signature for another chain, another spender, or of somebody else', async () => {
    const lock = await clientLock(world);
    for (const by of [{ chainId: 1 }, { spender: stranger.address }, { signer: stranger }])
      expect(await refusal(await fund(world, lock, {}, by))).toBe('InvalidSigner');
  });

  it('takes a signature once', async () => {
    const funding = await fund(world, await clientLock(world));
    await world.chain.send(funding);
    expect(await refusal(funding)).toBe('InvalidNonce');
  });

  it('refuses a signature that is too old', async () => {
    expect(await refusal(await fund(world, await clientLock(world), { deadline: 1n }))).toBe('SignatureExpired');
  });

  it('refuses where the calls brought nothing', async () => {
    const lock = await clientLock(world);
    expect(await refusal(await fund(world, lock, { source: world.usd }))).toBe('ZeroAmount');
  });
});

describe('a claim by signature', () => {
  it('pays the destination, sent by anybody', async () => {
    const lock = await lockDirectly(world);
    await world.chain.send(await claim(world, lock, { minAmountOut: 1000n }));
    expect(await btcOf(client.address)).toBe(11_000n);
    await expectEmpty();
  });

  it('pays what the swap brought, and what it left of the lock', async () => {
    const { btc, usd, coordinator, chain } = world;
    const lock = await lockDirectly(world);
    const calls = swapCalls(world, btc, 900n, usd.address, 50n, coordinator.address, 1000n);
    await chain.send(await claim(world, lock, { calls, sweepToken: usd.address, minAmountOut: 50n }));
    expect([await usdOf(client.address), await btcOf(client.address)]).toEqual([10_050n, 10_100n]);
    await expectEmpty();
  });

  it('is refused below the floor that was signed', async () => {
    const { btc, usd, coordinator } = world;
    const lock = await lockDirectly(world);
    const calls = swapCalls(world, btc, 1000n, usd.address, 49n, coordinator.address);
    const sending = await claim(world, lock, { calls, sweepToken: usd.address, minAmountOut: 50n });
    expect(await refusal(sending)).toBe('InsufficientBalance');
  });

  it('of nothing left and no floor pays nobody and stands', async () => {
    const { btc, usd } = world;
    const lock = await lockDirectly(world);
    const calls = swapCalls(world, btc, 1000n, usd.address, 50n, client.address);
    await world.chain.send(await claim(world, lock, { calls, sweepToken: usd.address }));
    expect([await usdOf(client.address), await isActive(lock)]).toEqual([10_050n, false]);
  });

  it('pays out coins where these are wanted', async () => {
    const { chain, btc, exchange, coordinator } = world;
    await chain.setBalance(exchange.address, 500n);
    await chain.setBalance(client.address, 0n);
    const lock = await lockDirectly(world);
    const calls = swapCalls(world, btc, 1000n, zeroAddress, 500n, coordinator.address);
    await chain.send(await claim(world, lock, { calls, sweepToken: zeroAddress, minAmountOut: 500n }));
    expect(await chain.client.getBalance({ address: client.address })).toBe(500n);
  });

  it('is refused where the coins cannot be paid', async () => {
    const { chain, btc, exchange, coordinator, htlc } = world;
    await chain.setBalance(exchange.address, 500n);
    const lock = await lockDirectly(world);
    const calls = swapCalls(world, btc, 1000n, zeroAddress, 500n, coordinator.address);
    const sending = await claim(world, lock, { calls, sweepToken: zeroAddress, destination: htlc.address });
    expect(await refusal(sending)).toBe('EtherTransferFailed');
  });

  it('gives unused coins back to who sent them, and leaves those that were here', async () => {
    const { chain, coordinator, exchange, usd } = world;
    await chain.setBalance(coordinator.address, 5n);
    await chain.setBalance(stranger.address, 100n);
    const lock = await lockDirectly(world);
    const fee = call(zeroAddress, exchange, 'swap', [zeroAddress, 0n, usd.address, 0n, client.address], 40n);
    await chain.send(await claim(world, lock, { calls: [asCall(fee)] }, { value: 100n }));
    expect(await chain.client.getBalance({ address: stranger.address })).toBe(60n);
    expect(await chain.client.getBalance({ address: coordinator.address })).toBe(5n);
  });

  it('gives the sender no coins that the calls brought', async () => {
    const { chain, btc, exchange, coordinator } = world;
    await chain.setBalance(exchange.address, 500n);
    await chain.setBalance(stranger.address, 1n);
    const calls = swapCalls(world, btc, 1000n, zeroAddress, 500n, coordinator.address);
    await chain.send(await claim(world, await lockDirectly(world), { calls }, { value: 1n }));
    expect(await chain.client.getBalance({ address: stranger.address })).toBe(1n);
  });

  it.each([
    ['destination', { destination: stranger.address }],
    ['floor', { minAmountOut: 999n }],
    ['token', { sweepToken: stranger.address }],
    ['call', { calls: [{ target: stranger.address, value: 0n, callData: '0x' }] }],
  ] as const)('is refused with another %s than the one signed', async (_what, signed) => {
    const terms = { minAmountOut: 1000n };
    const lock = await lockDirectly(world);
    expect(await refusal(await claim(world, lock, terms, { signed: { ...terms, ...signed } }))).toBe('SwapNotActive');
  });

  it.each([
    ['version', { version: '6' }],
    ['version of the coordinator', { version: '3' }],
    ['chain', { chainId: 1 }],
    ['contract', { verifyingContract: stranger.address }],
    ['name', { name: 'HTLCNative' }],
  ] as const)('is refused where it was signed for another %s', async (_what, other) => {
    const domain = { ...world.htlcDomain, ...other };
    expect(await refusal(await claim(world, await lockDirectly(world), {}, { domain }))).toBe('SwapNotActive');
  });

  it('is refused to nobody', async () => {
    const lock = await lockDirectly(world);
    expect(await refusal(await claim(world, lock, { destination: zeroAddress }))).toBe('ZeroDestination');
  });
});

describe('a refund after the timelock', () => {
  it('pays the depositor, sent by anybody', async () => {
    const lock = await lockForClient(world);
    await world.chain.moveTo(lock.timelock);
    await world.chain.send(refundTo(world, lock));
    expect([await btcOf(client.address), await depositorOf(lock)]).toEqual([11_000n, zeroAddress]);
  });

  it('is refused before it, in both forms', async () => {
    const lock = await lockForClient(world);
    expect(await refusal(refundTo(world, lock))).toBe('TimelockNotExpired');
    expect(await refusal(refundAndExecute(world, lock))).toBe('TimelockNotExpired');
  });

  it('is refused for a lock that the coordinator did not make, in both forms', async () => {
    const lock = await lockDirectly(world, { refundAddress: world.coordinator.address });
    await world.chain.moveTo(lock.timelock);
    expect(await refusal(refundTo(world, lock))).toBe('UnknownHtlc');
    expect(await refusal(refundAndExecute(world, lock))).toBe('UnknownHtlc');
  });

  it('happens once', async () => {
    const lock = await lockForClient(world);
    await world.chain.moveTo(lock.timelock);
    await world.chain.send(refundTo(world, lock));
    expect(await refusal(refundTo(world, lock))).toBe('UnknownHtlc');
  });

  it('does not follow a claim', async () => {
    const lock = await lockForClient(world);
    await world.chain.send(redeem(world, lock));
    await world.chain.moveTo(lock.timelock);
    expect(await refusal(refundTo(world, lock))).toBe('SwapNotActive');
  });

  it("through calls is the depositor's alone", async () => {
    const lock = await lockForClient(world);
    await world.chain.moveTo(lock.timelock);
    expect(await refusal(refundAndExecute(world, lock, { from: stranger.address }))).toBe('Unauthorized');
  });

  it('through calls pays what they brought and what they left', async () => {
    const { btc, usd, coordinator, chain } = world;
    const lock = await lockForClient(world);
    await chain.moveTo(lock.timelock);
    const calls = swapCalls(world, btc, 900n, usd.address, 50n, coordinator.address, 1000n);
    await chain.send(refundAndExecute(world, lock, { calls, sweepToken: usd.address, minAmountOut: 50n }));
    expect([await usdOf(client.address), await btcOf(client.address), await depositorOf(lock)]).toEqual([
      10_050n,
      10_100n,
      zeroAddress,
    ]);
    await expectEmpty();
  });

  it('through calls is refused below its floor', async () => {
    const lock = await lockForClient(world);
    await world.chain.moveTo(lock.timelock);
    expect(await refusal(refundAndExecute(world, lock, { minAmountOut: 1001n }))).toBe('InsufficientBalance');
  });
});

describe('a collaborative refund', () => {
  it('pays the depositor before the timelock with both signatures', async () => {
    const lock = await lockForClient(world);
    await world.chain.send(await collabRefund(world, lock));
    expect([await btcOf(client.address), await depositorOf(lock), await isActive(lock)]).toEqual([
      11_000n,
      zeroAddress,
      false,
    ]);
  });

  it('runs the calls of the depositor and pays what they brought and left', async () => {
    const { btc, usd, coordinator } = world;
    const lock = await lockForClient(world);
    const calls = swapCalls(world, btc, 900n, usd.address, 50n, coordinator.address, 1000n);
    await world.chain.send(await collabRefund(world, lock, { calls, sweepToken: usd.address, minAmountOut: 50n }));
    expect([await usdOf(client.address), await btcOf(client.address)]).toEqual([10_050n, 10_100n]);
    await expectEmpty();
  });

  it.each([
    ['the depositor', { depositor: stranger }, 'Unauthorized'],
    ['the claimer', { claimer: stranger }, 'SwapNotActive'],
    ['a sender whom the depositor named', { caller: stranger.address }, 'Unauthorized'],
    [
      'the calls that were signed',
      { signed: { calls: [{ target: stranger.address, value: 0n, callData: '0x' }] } },
      'Unauthorized',
    ],
    ['a floor that is met', { minAmountOut: 1001n }, 'InsufficientBalance'],
  ] as const)('is refused without %s', async (_who, by, error) => {
    expect(await refusal(await collabRefund(world, await lockForClient(world), by))).toBe(error);
  });

  it('is refused where the depositor signed for the version of the HTLC', async () => {
    const coordinatorDomain = { ...world.coordinatorDomain, version: '4' };
    expect(await refusal(await collabRefund(world, await lockForClient(world), { coordinatorDomain }))).toBe(
      'Unauthorized',
    );
  });

  it('is refused where the claimer signed for another version or chain', async () => {
    const lock = await lockForClient(world);
    for (const other of [{ version: '3' }, { chainId: 1 }])
      expect(await refusal(await collabRefund(world, lock, { htlcDomain: { ...world.htlcDomain, ...other } }))).toBe(
        'SwapNotActive',
      );
  });

  it('is refused for a lock that the coordinator did not make', async () => {
    const { coordinator } = world;
    const lock = await lockDirectly(world, { refundAddress: coordinator.address, claimAddress: service.address });
    expect(await refusal(await collabRefund(world, lock))).toBe('UnknownHtlc');
  });

  it('happens once, also when the same terms are funded again', async () => {
    const lock = await lockForClient(world);
    const both = await collabRefund(world, lock);
    await world.chain.send(both);
    expect(await refusal(both)).toBe('UnknownHtlc');
    expect(await refusal(await fund(world, lock))).toBe('SwapExists');
  });
});

describe('calls', () => {
  const claiming = async (calls: Parameters<typeof claim>[2] & object) =>
    refusal(await claim(world, await lockDirectly(world), calls));

  it.each(['htlc', 'coordinator', 'permit2'] as const)('may not reach %s', async (name) => {
    const target = name === 'permit2' ? permit2Address : world[name].address;
    expect(await claiming({ calls: [{ target, value: 0n, callData: '0x' }] })).toBe('RestrictedTarget');
  });

  it.each([
    '23b872dd',
    '42842e0e',
    'b88d4fde',
    'f242432a',
    '2eb2c2d6',
    'd8fbe994',
    'c1d34b89',
    '39509351',
    'd73dd623',
    '3177029f',
    'cae9ca51',
    '959b8c3f',
  ])('may not begin with the selector %s', async (selector) => {
    const callData: Hex = `0x${selector}${zeroHash.slice(2).repeat(3)}`;
    expect(await claiming({ calls: [{ target: world.usd.address, value: 0n, callData }] })).toBe('DangerousSelector');
  });

  it('fail together', async () => {
    const { usd, btc, coordinator } = world;
    const calls = swapCalls(world, btc, 1000n, usd.address, 10n ** 18n, coordinator.address);
    expect(await claiming({ calls })).toBe('CallFailed');
  });

  it('with data fail where there is no code', async () => {
    expect(await claiming({ calls: [{ target: stranger.address, value: 0n, callData: '0x12345678' }] })).toBe(
      'CallFailed',
    );
  });

  it('may send coins to an address without code', async () => {
    const { chain, coordinator } = world;
    await chain.setBalance(coordinator.address, 5n);
    expect(await claiming({ calls: [{ target: stranger.address, value: 5n, callData: '0x' }] })).toBeNull();
  });

  it('leave no allowance behind', async () => {
    const { chain, btc, coordinator } = world;
    const approval = asCall(call(zeroAddress, btc, 'approve', [stranger.address, 10n ** 18n]));
    await chain.send(await claim(world, await lockDirectly(world), { calls: [approval] }));
    expect(await chain.read(btc, 'allowance', coordinator.address, stranger.address)).toBe(0n);
  });
});
