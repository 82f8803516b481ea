import { type Address, type Hex, zeroAddress } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { asSha256 } from '../../engine/domain/hash.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { swapKey } from '../../engine/legs/evm/swap-key.ts';
import {
  domainSeparator,
  redeem as redeemStruct,
  refund as refundStruct,
  typeHash,
} from '../../engine/legs/evm/typed-data.ts';
import { call } from './kit/chain.ts';
import {
  type Erc20World,
  type Lock,
  approve,
  balance,
  client,
  create,
  freshLock,
  give,
  hashOf,
  keyTerms,
  lockDirectly,
  openErc20,
  redeem,
  refund,
  service,
  signClaim,
  stranger,
} from './kit/erc20.ts';
import { sign } from './kit/signing.ts';

let world: Erc20World;
let start: Hex;

beforeAll(async () => {
  world = await openErc20();
  start = await world.chain.snapshot();
});
afterAll(() => world.chain.stop());
beforeEach(async () => {
  await world.chain.goBack(start);
  start = await world.chain.snapshot();
});

const refusal = (sending: ReturnType<typeof redeem>) => world.chain.refusalOf(sending);
const btcOf = (who: Address) => balance(world.chain, world.btc, who);
const keyOf = (lock: Lock): Promise<Hex> => world.chain.read(world.htlc, 'computeKey', ...keyTerms(lock));
const stateOf = async (lock: Lock): Promise<number> => world.chain.read(world.htlc, 'swapState', await keyOf(lock));
const isActive = (lock: Lock): Promise<boolean> => world.chain.read(world.htlc, 'isActive', ...keyTerms(lock));

/** The service is ready to lock this. */
async function ready(terms: Partial<Lock> = {}): Promise<Lock> {
  await give(world.chain, world.btc, service.address, 10_000n);
  await approve(world.chain, world.btc, service.address, world.htlc.address);
  return freshLock(world, terms);
}

describe('what the contract says of itself', () => {
  it('is version 4 with the domain and the type hashes of the engine', async () => {
    const { chain, htlc } = world;
    const contract = asEvmAddress(fromHex(htlc.address.slice(2)));
    const separator = domainSeparator({ name: 'HTLCErc20', version: '4', chainId: 137, contract });
    expect(await chain.read(htlc, 'VERSION')).toBe(4);
    expect(await chain.read(htlc, 'DOMAIN_SEPARATOR')).toBe(`0x${toHex(separator)}`);
    expect(await chain.read(htlc, 'TYPEHASH_REDEEM')).toBe(`0x${toHex(typeHash(redeemStruct))}`);
    expect(await chain.read(htlc, 'TYPEHASH_REFUND')).toBe(`0x${toHex(typeHash(refundStruct))}`);
  });

  it('computes the same key as the engine', async () => {
    const lock = await freshLock(world);
    const bytes = (hex: string) => fromHex(hex.slice(2));
    const key = swapKey({
      preimageHash: asSha256(bytes(hashOf(lock))),
      amount: lock.amount,
      token: asEvmAddress(bytes(lock.token)),
      refundAddress: asEvmAddress(bytes(lock.refundAddress)),
      claimAddress: asEvmAddress(bytes(lock.claimAddress)),
      timelock: lock.timelock,
    });
    expect(await keyOf(lock)).toBe(`0x${toHex(key)}`);
  });
});

describe('create', () => {
  it('takes the amount and tells all terms and the key', async () => {
    const { chain, htlc } = world;
    const lock = await lockDirectly(world);
    const [event] = await chain.client.getContractEvents({ ...htlc, eventName: 'SwapCreated' });
    expect(event?.args).toEqual({
      preimageHash: hashOf(lock),
      refundAddress: service.address,
      claimAddress: client.address,
      token: expect.stringMatching(new RegExp(lock.token, 'i')) as string,
      amount: 1000n,
      timelock: lock.timelock,
      key: await keyOf(lock),
    });
    expect([await btcOf(htlc.address), await btcOf(service.address)]).toEqual([1000n, 0n]);
    expect([await isActive(lock), await chain.read(htlc, 'swaps', await keyOf(lock)), await stateOf(lock)]).toEqual([
      true,
      true,
      1,
    ]);
  });

  it('without a refund address refunds the sender', async () => {
    const lock = await ready();
    const terms = [hashOf(lock), lock.amount, lock.token, lock.claimAddress, lock.timelock];
    await world.chain.send(call(service.address, world.htlc, 'create', terms));
    expect(await isActive(lock)).toBe(true);
  });

  it('takes the money of the sender, not of the refund address', async () => {
    const lock = await ready({ refundAddress: stranger.address });
    await world.chain.send(create(world, lock));
    expect([await btcOf(service.address), await isActive(lock)]).toEqual([9000n, true]);
  });

  it.each([
    ['an amount of zero', { amount: 0n }, 'ZeroAmount'],
    ['no refund address', { refundAddress: zeroAddress }, 'ZeroRefundAddress'],
    ['no claim address', { claimAddress: zeroAddress }, 'ZeroClaimAddress'],
    ['a timelock that has passed', { timelock: 1n }, 'TimelockTooSoon'],
    ['more than the sender has', { amount: 10_001n }, 'ERC20InsufficientBalance'],
  ] as const)('refuses %s', async (_what, terms, error) => {
    expect(await refusal(create(world, await ready(terms)))).toBe(error);
  });

  it('refuses a timelock of this very second', async () => {
    const lock = await ready();
    await world.chain.moveTo(lock.timelock);
    expect(await refusal(create(world, lock))).toBe('TimelockTooSoon');
  });

  it('refuses a lock that is there', async () => {
    const lock = await ready();
    await world.chain.send(create(world, lock));
    expect(await refusal(create(world, lock))).toBe('SwapExists');
  });

  it('refuses the key of a lock that was claimed', async () => {
    const lock = await ready();
    await world.chain.send(create(world, lock));
    await world.chain.send(redeem(world, lock));
    expect(await refusal(create(world, lock))).toBe('SwapExists');
  });
});

describe('redeem', () => {
  it('pays the claim address and shows the preimage', async () => {
    const { chain, htlc } = world;
    const lock = await lockDirectly(world);
    await chain.send(redeem(world, lock));
    const [event] = await chain.client.getContractEvents({ ...htlc, eventName: 'SwapRedeemed' });
    expect(event?.args).toEqual({ preimageHash: hashOf(lock), key: await keyOf(lock), preimage: lock.preimage });
    expect([await btcOf(client.address), await btcOf(htlc.address), await stateOf(lock)]).toEqual([1000n, 0n, 2]);
  });

  it('refuses everybody else who has the preimage', async () => {
    expect(await refusal(redeem(world, await lockDirectly(world), stranger.address))).toBe('SwapNotActive');
  });

  it.each(['preimage', 'amount', 'token', 'refundAddress', 'timelock'] as const)('refuses another %s', async (term) => {
    const lock = await lockDirectly(world);
    const other = {
      preimage: `0x${'77'.repeat(32)}`,
      token: world.usd.address,
      refundAddress: stranger.address,
    } as const;
    const wrong = { ...other, amount: lock.amount - 1n, timelock: lock.timelock - 1n };
    expect(await refusal(redeem(world, { ...lock, [term]: wrong[term] }))).toBe('SwapNotActive');
  });

  it('pays once', async () => {
    const lock = await lockDirectly(world);
    await lockDirectly(world);
    await world.chain.send(redeem(world, lock));
    expect(await refusal(redeem(world, lock))).toBe('SwapNotActive');
  });

  it('counts after the timelock too, until the refund', async () => {
    const lock = await lockDirectly(world);
    await world.chain.moveTo(lock.timelock + 1n);
    expect(await refusal(redeem(world, lock))).toBeNull();
    await world.chain.send(refund(world, lock));
    expect(await refusal(redeem(world, lock))).toBe('SwapNotActive');
  });
});

describe('redeemBySig', () => {
  async function bySignature(lock: Lock, from: Address, by: Parameters<typeof signClaim>[3] = {}) {
    const signature = await signClaim(world, lock, {}, { caller: from, ...by });
    const terms = [lock.preimage, lock.amount, lock.token, lock.refundAddress, lock.timelock];
    const rest = [client.address, lock.token, 0n, '0x569e75fc77c1a856f6daaf9e69d8a9566ca34aa47f9133711ce065a571af0cfd'];
    return call(from, world.htlc, 'redeemBySig', [...terms, ...rest, ...signature]);
  }

  it('pays the caller that the claimer named, and marks the lock claimed', async () => {
    const lock = await lockDirectly(world);
    await world.chain.send(await bySignature(lock, stranger.address));
    expect([await btcOf(stranger.address), await stateOf(lock)]).toEqual([1000n, 2]);
  });

  it('refuses a sender that the claimer did not name', async () => {
    const sending = await bySignature(await lockDirectly(world), stranger.address, { caller: service.address });
    expect(await refusal(sending)).toBe('SwapNotActive');
  });

  it('refuses a signature that recovers nobody', async () => {
    const lock = await lockDirectly(world);
    const terms = [
      lock.preimage,
      lock.amount,
      lock.token,
      lock.refundAddress,
      lock.timelock,
      client.address,
      lock.token,
    ];
    const zero = `0x${'00'.repeat(32)}`;
    const sending = call(stranger.address, world.htlc, 'redeemBySig', [...terms, 0n, zero, 27n, zero, zero]);
    expect(await refusal(sending)).toBe('ECDSAInvalidSignature');
  });

  it('refuses the second form of a signature', async () => {
    const lock = await lockDirectly(world);
    const sending = await bySignature(lock, stranger.address);
    const [v, r, s] = await signClaim(world, lock, {}, { caller: stranger.address });
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const data = sending.data ?? '0x';
    const flipped = (data.slice(0, -192) +
      (v === 27n ? 28n : 27n).toString(16).padStart(64, '0') +
      r.slice(2) +
      (order - BigInt(s)).toString(16).padStart(64, '0')) as Hex;
    expect(await refusal(sending)).toBeNull();
    expect(await refusal({ ...sending, data: flipped })).toBe('ECDSAInvalidSignatureS');
  });
});

describe('refund', () => {
  it('gives the lock back at the timelock and tells so', async () => {
    const { chain, htlc } = world;
    const lock = await lockDirectly(world);
    await chain.moveTo(lock.timelock);
    await chain.send(refund(world, lock));
    const [event] = await chain.client.getContractEvents({ ...htlc, eventName: 'SwapRefunded' });
    expect(event?.args).toEqual({ preimageHash: hashOf(lock), key: await keyOf(lock) });
    expect([await btcOf(service.address), await stateOf(lock)]).toEqual([1000n, 3]);
  });

  it('pays another destination where one is named', async () => {
    const lock = await lockDirectly(world);
    await world.chain.moveTo(lock.timelock);
    await world.chain.send(refund(world, lock, service.address, stranger.address));
    expect(await btcOf(stranger.address)).toBe(1000n);
  });

  it('refuses to pay nobody', async () => {
    const lock = await lockDirectly(world);
    await world.chain.moveTo(lock.timelock);
    expect(await refusal(refund(world, lock, service.address, zeroAddress))).toBe('ZeroRecipient');
  });

  it('is refused a second before the timelock, in both forms', async () => {
    const lock = await lockDirectly(world);
    await world.chain.moveTo(lock.timelock - 2n);
    expect(await refusal(refund(world, lock))).toBe('TimelockNotExpired');
    expect(await refusal(refund(world, lock, service.address, stranger.address))).toBe('TimelockNotExpired');
  });

  it('is refused to everybody but the refund address', async () => {
    const lock = await lockDirectly(world);
    await world.chain.moveTo(lock.timelock);
    expect(await refusal(refund(world, lock, stranger.address))).toBe('SwapNotActive');
  });

  it('pays once', async () => {
    const lock = await lockDirectly(world);
    await lockDirectly(world);
    await world.chain.moveTo(lock.timelock);
    await world.chain.send(refund(world, lock));
    expect(await refusal(refund(world, lock))).toBe('SwapNotActive');
  });
});

describe('refundBySig', () => {
  async function waived(lock: Lock, from: Address, by = client, domain = world.htlcDomain) {
    const { amount, token, refundAddress, timelock } = lock;
    const terms = { preimageHash: hashOf(lock), amount, token, refundAddress, timelock };
    const rest = { destination: service.address, sweepToken: token, minAmountOut: 0n };
    const signature = await sign(by, 'Refund', domain, { ...terms, caller: from, ...rest });
    return call(from, world.htlc, 'refundBySig', [...Object.values(terms), ...Object.values(rest), ...signature]);
  }

  it('gives the lock back before its timelock with the consent of the claimer', async () => {
    const lock = await lockDirectly(world);
    await world.chain.send(await waived(lock, service.address));
    expect([await btcOf(service.address), await stateOf(lock)]).toEqual([1000n, 3]);
  });

  it('gives the claimer nothing on its own signature', async () => {
    expect(await refusal(await waived(await lockDirectly(world), client.address))).toBe('NotRefundAddress');
  });

  it('is refused without the consent of the claimer', async () => {
    expect(await refusal(await waived(await lockDirectly(world), service.address, stranger))).toBe('SwapNotActive');
  });

  it('does not open a second lock of the same terms with the first consent', async () => {
    const lock = await lockDirectly(world);
    const consent = await waived(lock, service.address);
    await world.chain.send(consent);
    expect(await refusal(create(world, lock))).toBe('SwapExists');
    expect(await refusal(consent)).toBe('SwapNotActive');
  });
});
