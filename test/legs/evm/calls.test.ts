import { bytesToHex, decodeFunctionData, toFunctionSelector, type Abi } from 'viem';
import { expect, test } from 'vitest';
import { asEvmAddress, type EvmAddress } from '../../../engine/domain/evm.ts';
import { asPreimage, asSha256 } from '../../../engine/domain/hash.ts';
import type { Permit } from '../../../engine/legs/evm/acts.ts';
import {
  approveCall,
  claimCall,
  lockCall,
  lockedBy,
  payCall,
  permitCall,
  refundCall,
  relayClaimCall,
  relayFundCall,
  relayRefundCall,
  returnedBy,
} from '../../../engine/legs/evm/calls.ts';
import type { SwapContracts } from '../../../engine/legs/evm/contracts.ts';
import type { EvmCall } from '../../../engine/legs/evm/port.ts';
import { type ContractName, artifactOf } from '../../contracts/kit/artifacts.ts';

const address = (byte: number): EvmAddress => asEvmAddress(new Uint8Array(20).fill(byte));
const word = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const zero = address(0);
const erc20: SwapContracts = {
  kind: 'erc20',
  htlc: address(1),
  coordinator: address(2),
  htlcVersion: '4',
  coordinatorVersion: '3',
};
const native: SwapContracts = { ...erc20, kind: 'native', htlcVersion: '1', coordinatorVersion: null };
const lock = {
  preimageHash: asSha256(word(0x10)),
  amount: 77n,
  token: address(3),
  refundAddress: address(4),
  claimAddress: address(5),
  timelock: 1_800_000_000n,
};
const preimage = asPreimage(word(0x20));
const signature = { v: 27, r: word(0x30), s: word(0x40) };
const ours = { v: 28, r: word(0x50), s: word(0x60) };
const calls = [{ target: address(6), value: 1n, data: Uint8Array.of(9) }];
const payout = { calls, sweepToken: address(7), minAmountOut: 5n, destination: address(8), signature };
const permit: Permit = {
  depositor: address(9),
  token: address(0x12),
  amount: 100n,
  nonce: 3n,
  deadline: 1_900_000_000n,
  signature: new Uint8Array(65).fill(7),
};

const hex = (bytes: Uint8Array) => bytesToHex(bytes);

/** What the compiled contract reads out of the call: function, arguments by name, and the value sent. */
function heardBy(
  name: ContractName,
  { data, value }: EvmCall,
): readonly [string, Readonly<Record<string, unknown>>, bigint] {
  const { abi } = artifactOf(name);
  const { functionName, args } = decodeFunctionData({ abi, data: hex(data) });
  const item = (abi as Abi).find(
    (one) => one.type === 'function' && toFunctionSelector(one) === hex(data.subarray(0, 4)),
  );
  const names = item?.type === 'function' ? item.inputs.map((input) => input.name ?? '') : [];
  const low = (one: unknown) => (typeof one === 'string' ? one.toLowerCase() : one);
  return [functionName, Object.fromEntries((args ?? []).map((one, i) => [names[i] ?? '', low(one)])), value];
}

const terms = {
  preimageHash: hex(lock.preimageHash),
  amount: 77n,
  token: hex(lock.token),
  claimAddress: hex(lock.claimAddress),
  timelock: lock.timelock,
};

test('a lock is heard by its contract as it was meant', () => {
  expect(lockCall(erc20, lock).to).toEqual(erc20.htlc);
  expect(heardBy('HTLCErc20', lockCall(erc20, lock))).toEqual(['create', terms, 0n]);
  const { amount: _amount, token: _token, ...left } = terms;
  expect(heardBy('HTLCNative', lockCall(native, { ...lock, token: zero }))).toEqual(['create', left, 77n]);
});

test('a claim names the preimage, and whom the lock would be refunded to', () => {
  const claim = { preimage: hex(preimage), amount: 77n, sender: hex(lock.refundAddress), timelock: lock.timelock };
  expect(heardBy('HTLCErc20', claimCall(erc20, lock, preimage))).toEqual([
    'redeem',
    { ...claim, token: hex(lock.token) },
    0n,
  ]);
  expect(heardBy('HTLCNative', claimCall(native, lock, preimage))).toEqual(['redeem', claim, 0n]);
});

test('a refund names the hash, and who could have claimed', () => {
  const { token: _token, ...left } = terms;
  expect(heardBy('HTLCErc20', refundCall(erc20, lock))).toEqual(['refund', terms, 0n]);
  expect(heardBy('HTLCNative', refundCall(native, lock))).toEqual(['refund', left, 0n]);
});

test('a relayed claim carries what its client signed, to the coordinator', () => {
  const terms = {
    preimage: hex(preimage),
    amount: 77n,
    htlcSender: hex(lock.refundAddress),
    timelock: lock.timelock,
    calls: [{ target: hex(address(6)), value: 1n, callData: '0x09' }],
    sweepToken: hex(address(7)),
    minAmountOut: 5n,
    destination: hex(address(8)),
    v: 27,
    r: hex(signature.r),
    s: hex(signature.s),
  };
  const call = relayClaimCall(erc20, { lock, ...payout }, preimage);
  expect(call.to).toEqual(erc20.coordinator);
  expect(heardBy('HTLCCoordinator', call)).toMatchObject([
    'redeemAndExecute',
    { ...terms, token: hex(lock.token) },
    0n,
  ]);
  expect(heardBy('HTLCNativeCoordinator', relayClaimCall(native, { lock, ...payout }, preimage))).toMatchObject([
    'redeemAndExecute',
    terms,
    0n,
  ]);
});

test('a relayed funding carries the permit, and locks for us', () => {
  const { amount: _amount, ...unfunded } = lock;
  expect(heardBy('HTLCCoordinator', relayFundCall(erc20, { lock: unfunded, permit, calls }))).toMatchObject([
    'executeAndCreateWithPermit2',
    {
      preimageHash: terms.preimageHash,
      token: terms.token,
      claimAddress: terms.claimAddress,
      depositor: hex(permit.depositor),
      permit: { permitted: { token: hex(permit.token), amount: 100n }, nonce: 3n, deadline: 1_900_000_000n },
      signature: hex(permit.signature),
    },
    0n,
  ]);
});

test('a relayed refund carries both signatures, each in its place, and no calls', () => {
  expect(heardBy('HTLCCoordinator', relayRefundCall(erc20, { lock, signature }, ours))).toEqual([
    'collabRefundAndExecute',
    {
      ...terms,
      calls: [],
      sweepToken: terms.token,
      minAmountOut: 0n,
      depositorV: 27,
      depositorR: hex(signature.r),
      depositorS: hex(signature.s),
      claimV: 28,
      claimR: hex(ours.r),
      claimS: hex(ours.s),
    },
    0n,
  ]);
});

test('the native coin is funded and given back early by nobody else', () => {
  const { amount: _amount, ...unfunded } = lock;
  expect(() => relayFundCall(native, { lock: unfunded, permit, calls })).toThrow(/owner alone/);
  expect(() => relayRefundCall(native, { lock, signature }, ours)).toThrow(/timelock/);
});

test('a withdrawal of the coin is a transfer without data, of a token a call of it', () => {
  expect(payCall({ token: zero, to: address(8), amount: 9n })).toEqual({
    to: address(8),
    value: 9n,
    data: new Uint8Array(),
  });
  const call = payCall({ token: address(3), to: address(8), amount: 9n });
  expect([call.to, heardBy('TestToken', call)]).toEqual([
    address(3),
    ['transfer', { to: hex(address(8)), value: 9n }, 0n],
  ]);
});

test('an approval is of the amount and no more', () => {
  expect(heardBy('TestToken', approveCall(address(3), address(1), 9n))).toEqual([
    'approve',
    { spender: hex(address(1)), value: 9n },
    0n,
  ]);
});

test('a permit goes to the token, in parts or as one', () => {
  const given = { value: 2n, deadline: 1_900_000_000n };
  const inParts = permitCall(permit, { ...given, signature });
  expect([inParts.to, hex(inParts.data.subarray(0, 4))]).toEqual([permit.token, '0xd505accf']);
  const asOne = permitCall(permit, { ...given, signature: permit.signature });
  expect(hex(asOne.data.subarray(0, 4))).toBe(toFunctionSelector('permit(address,address,uint256,uint256,bytes)'));
});

test('a refund of the coin of a chain brings what was locked, and no other call brings any', () => {
  const others = [
    lockCall(native, lock),
    claimCall(native, lock, preimage),
    refundCall(erc20, lock),
    approveCall(lock.token, erc20.htlc, 77n),
    payCall({ token: zero, to: address(9), amount: 77n }),
  ];
  expect(returnedBy(refundCall(native, lock))).toBe(77n);
  expect(others.map(returnedBy)).toEqual([0n, 0n, 0n, 0n, 0n]);
});

test('a lock says under which hash it is made and when it can be taken back, and no other call does', () => {
  const made = { hash: lock.preimageHash, timelock: Number(lock.timelock) };
  expect([erc20, native].map((of) => lockedBy(lockCall(of, lock)))).toEqual([made, made]);
  const others = [refundCall(erc20, lock), refundCall(native, lock), payCall({ token: zero, to: zero, amount: 1n })];
  expect(others.map(lockedBy)).toEqual([null, null, null]);
});
