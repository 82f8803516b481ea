import type { Abi, Hex } from 'viem';
import {
  bytesToHex,
  decodeFunctionData,
  encodeFunctionData,
  getAbiItem,
  hexToBytes,
  toFunctionSelector,
} from 'viem/utils';
import type { EvmAddress } from '../../domain/evm.ts';
import { asSha256, type Preimage, type Sha256 } from '../../domain/hash.ts';
import { unix, type Unix } from '../../domain/time.ts';
import { coordinatorErc20, coordinatorNative, erc20, erc20OfContracts, htlcErc20, htlcNative } from './abi.ts';
import type { EvmAct, Permit } from './acts.ts';
import { callTuples } from './calls-hash.ts';
import type { EvmSignature, SwapContracts } from './contracts.ts';
import { create2Deployer, permit2 } from './deployments.ts';
import type { EvmCall } from './port.ts';
import type { LockTerms } from './swap-key.ts';

type Of<I extends EvmAct['is']> = Extract<EvmAct, { is: I }>;

const hex = (bytes: Uint8Array) => bytesToHex(bytes);
const calling = (to: EvmAddress, data: `0x${string}`, value = 0n): EvmCall => ({ to, value, data: hexToBytes(data) });
const parts = ({ v, r, s }: EvmSignature) => [v, hex(r), hex(s)] as const;
const isNative = ({ kind }: SwapContracts): boolean => kind === 'native';
const zero = (address: EvmAddress): boolean => address.every((byte) => byte === 0);

/**
 * Locks our own money, refundable to whoever sends the call (facts/evm.md 1, 5). The token is taken by an allowance of
 * the HTLC, the native coin comes with the call. One term wrong is a lock that the client cannot claim and we cannot
 * refund before its timelock.
 */
export function lockCall(contracts: SwapContracts, lock: LockTerms): EvmCall {
  const { preimageHash, amount, token, claimAddress, timelock } = lock;
  if (isNative(contracts)) {
    const args = [hex(preimageHash), hex(claimAddress), timelock] as const;
    return calling(contracts.htlc, encodeFunctionData({ abi: htlcNative, functionName: 'create', args }), amount);
  }
  const args = [hex(preimageHash), amount, hex(token), hex(claimAddress), timelock] as const;
  return calling(contracts.htlc, encodeFunctionData({ abi: htlcErc20, functionName: 'create', args }));
}

/**
 * Takes a lock whose claim address sends the call, with its preimage (32 bytes). Its amount is that of the event, never
 * what was asked for.
 */
export function claimCall(contracts: SwapContracts, lock: LockTerms, preimage: Preimage): EvmCall {
  const { amount, token, refundAddress, timelock } = lock;
  const data = isNative(contracts)
    ? encodeFunctionData({
        abi: htlcNative,
        functionName: 'redeem',
        args: [hex(preimage), amount, hex(refundAddress), timelock],
      })
    : encodeFunctionData({
        abi: htlcErc20,
        functionName: 'redeem',
        args: [hex(preimage), amount, hex(token), hex(refundAddress), timelock],
      });
  return calling(contracts.htlc, data);
}

/** Takes a lock back whose refund address sends the call, from its timelock on by the chain's clock. */
export function refundCall(contracts: SwapContracts, lock: LockTerms): EvmCall {
  const { preimageHash, amount, token, claimAddress, timelock } = lock;
  const data = isNative(contracts)
    ? encodeFunctionData({
        abi: htlcNative,
        functionName: 'refund',
        args: [hex(preimageHash), amount, hex(claimAddress), timelock],
      })
    : encodeFunctionData({
        abi: htlcErc20,
        functionName: 'refund',
        args: [hex(preimageHash), amount, hex(token), hex(claimAddress), timelock],
      });
  return calling(contracts.htlc, data);
}

/** A claim by its claimer's signature (`redeemDigest`), carried out by the coordinator. Anybody may send it. */
export function relayClaimCall(
  contracts: SwapContracts,
  act: Omit<Of<'relay-claim'>, 'is'>,
  preimage: Preimage,
): EvmCall {
  const { amount, token, refundAddress, timelock } = act.lock;
  const [v, r, s] = parts(act.signature);
  const payout = [callTuples(act.calls), hex(act.sweepToken), act.minAmountOut, hex(act.destination), v, r, s] as const;
  const data = isNative(contracts)
    ? encodeFunctionData({
        abi: coordinatorNative,
        functionName: 'redeemAndExecute',
        args: [hex(preimage), amount, hex(refundAddress), timelock, ...payout],
      })
    : encodeFunctionData({
        abi: coordinatorErc20,
        functionName: 'redeemAndExecute',
        args: [hex(preimage), amount, hex(token), hex(refundAddress), timelock, ...payout],
      });
  return calling(contracts.coordinator, data);
}

/**
 * A client's lock by its Permit2 signature (`permitDigest`). Anybody may send it. Throws for the native coin, which
 * nobody can sign away.
 */
export function relayFundCall(
  contracts: SwapContracts,
  { lock, permit, calls }: Omit<Of<'relay-fund'>, 'is'>,
): EvmCall {
  if (isNative(contracts)) throw new RangeError('the native coin is locked by its owner alone');
  const { token, amount, nonce, deadline } = permit;
  const data = encodeFunctionData({
    abi: coordinatorErc20,
    functionName: 'executeAndCreateWithPermit2',
    args: [
      callTuples(calls),
      hex(lock.preimageHash),
      hex(lock.token),
      hex(lock.claimAddress),
      lock.timelock,
      hex(permit.depositor),
      { permitted: { token: hex(token), amount }, nonce, deadline },
      hex(permit.signature),
    ],
  });
  return calling(contracts.coordinator, data);
}

/**
 * Gives a client's lock back before its timelock, by the depositor's signature (`collabRefundDigest`) and ours
 * (`refundDigest`), to the depositor in the token of the lock. Throws for the native coin, whose contract has no such
 * refund.
 */
export function relayRefundCall(
  contracts: SwapContracts,
  { lock, signature }: Pick<Of<'relay-refund'>, 'lock' | 'signature'>,
  ours: EvmSignature,
): EvmCall {
  if (isNative(contracts)) throw new RangeError('the native coin is given back from the timelock on alone');
  const { preimageHash, amount, token, claimAddress, timelock } = lock;
  const terms = [hex(preimageHash), amount, hex(token), hex(claimAddress), timelock] as const;
  const data = encodeFunctionData({
    abi: coordinatorErc20,
    functionName: 'collabRefundAndExecute',
    args: [...terms, [], hex(token), 0n, ...parts(signature), ...parts(ours)],
  });
  return calling(contracts.coordinator, data);
}

/** The owner's withdrawal, in smallest units or wei: the zero address is the native coin. */
export function payCall({ token, to, amount }: Omit<Of<'pay'>, 'is'>): EvmCall {
  if (zero(token)) return { to, value: amount, data: new Uint8Array() };
  return calling(token, encodeFunctionData({ abi: erc20, functionName: 'transfer', args: [hex(to), amount] }));
}

/** Puts a contract of ours where its code alone decides: other bytes would stand where nobody looks for them. */
export function deployCall({ data }: Pick<Of<'deploy'>, 'data'>): EvmCall {
  return { to: create2Deployer, value: 0n, data };
}

/**
 * Lets a spender take so much of our token and no more (EIP-20): what is left of an allowance is a hole in the wallet.
 */
export function approveCall(token: EvmAddress, spender: EvmAddress, amount: bigint): EvmCall {
  return calling(token, encodeFunctionData({ abi: erc20, functionName: 'approve', args: [hex(spender), amount] }));
}

/** The amount of an approval of ours; throws for another call. */
export function approvedBy({ data }: Pick<EvmCall, 'data'>): bigint {
  const { functionName, args } = decodeFunctionData({ abi: erc20, data: bytesToHex(data) });
  if (functionName !== 'approve') throw new RangeError(`${functionName} approves nothing`);
  return args[1];
}

const lockCalls = [htlcErc20, htlcNative].map((abi) => ({
  abi,
  selector: toFunctionSelector(getAbiItem({ abi, name: 'create' })),
}));

/**
 * Under which hash a lock of ours is made, and from when on, in unix seconds, it can be taken back; null for any other
 * call.
 */
export function lockedBy({ data }: Pick<EvmCall, 'data'>): { readonly hash: Sha256; readonly timelock: Unix } | null {
  const called = lockCalls.find(({ selector }) => selector === bytesToHex(data.subarray(0, 4)));
  if (called === undefined) return null;
  const args = decodeFunctionData({ abi: called.abi as Abi, data: bytesToHex(data) }).args ?? [];
  return { hash: asSha256(hexToBytes(args[0] as Hex)), timelock: unix(Number(args.at(-1))) };
}

const coinRefund = toFunctionSelector(getAbiItem({ abi: htlcNative, name: 'refund' }));

/**
 * Wei that our refund of a lock brings back, where the coin of the chain is locked (facts/evm.md 5): no log of a token
 * tells of it. None for any other call.
 */
export function returnedBy({ data }: Pick<EvmCall, 'data'>): bigint {
  if (bytesToHex(data.subarray(0, 4)) !== coinRefund) return 0n;
  const { args } = decodeFunctionData({ abi: htlcNative, data: bytesToHex(data) });
  return args[1] as bigint;
}

/** A depositor's permit to Permit2 (EIP-2612), which anybody may send. */
export function permitCall({ depositor, token }: Permit, by: NonNullable<Permit['tokenPermit']>): EvmCall {
  const { value, deadline, signature } = by;
  const given = [hex(depositor), hex(permit2), value, deadline] as const;
  const data =
    signature instanceof Uint8Array
      ? encodeFunctionData({ abi: erc20OfContracts, functionName: 'permit', args: [...given, hex(signature)] })
      : encodeFunctionData({ abi: erc20, functionName: 'permit', args: [...given, ...parts(signature)] });
  return calling(token, data);
}
