import {
  type Hex,
  bytesToHex,
  decodeFunctionData,
  encodeErrorResult,
  hexToBytes,
  parseAbi,
  toFunctionSelector,
} from 'viem';
import { asEvmAddress, type EvmAddress } from '../../engine/domain/evm.ts';
import { asPreimage, asSha256, type Sha256 } from '../../engine/domain/hash.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { erc20, errors, htlcErc20, htlcNative } from '../../engine/legs/evm/abi.ts';
import type { EvmCall, LockEvent } from '../../engine/legs/evm/port.ts';
import { swapKey, type LockTerms } from '../../engine/legs/evm/swap-key.ts';
import { sha256Of } from '../../engine/legs/secret.ts';

export interface State {
  readonly balances: Map<string, bigint>;
  readonly allowances: Map<string, bigint>;
  readonly locks: Map<string, { state: number; terms: LockTerms }>;
  readonly nonces: Map<string, number>;
}

export class Reverted extends Error {
  readonly data: Uint8Array;
  constructor(message: string, data: Hex = '0x') {
    super(message);
    this.data = hexToBytes(data);
  }
}

export const zero = '00'.repeat(20);
const createFor = parseAbi(['function create(bytes32,uint256,address,address,address,uint256)']);
const createErc20For = toFunctionSelector('create(bytes32,uint256,address,address,address,uint256)');
const createErc20 = toFunctionSelector('create(bytes32,uint256,address,address,uint256)');
const createNative = toFunctionSelector('create(bytes32,address,uint256)');

export function add(state: State, of: string, who: string, amount: bigint): void {
  const left = (state.balances.get(`${of} ${who}`) ?? 0n) + amount;
  if (left < 0n) throw new Reverted('the balance is too small');
  state.balances.set(`${of} ${who}`, left);
}

export function copy(state: State): State {
  return {
    balances: new Map(state.balances),
    allowances: new Map(state.allowances),
    locks: new Map([...state.locks].map(([key, lock]) => [key, { ...lock }])),
    nonces: new Map(state.nonces),
  };
}

function settle(state: State, terms: LockTerms, to: number): Uint8Array {
  const key = swapKey(terms);
  const lock = state.locks.get(toHex(key));
  if (lock?.state !== 1)
    throw new Reverted(
      'SwapNotActive',
      encodeErrorResult({ abi: errors, errorName: 'SwapNotActive', args: [bytesToHex(key), lock?.state ?? 0] }),
    );
  lock.state = to;
  return key;
}

/** What a call does to the state, and the events that it leaves; throws where it reverts. */
export function apply(
  state: State,
  from: string,
  { to, value, data }: EvmCall,
  {
    htlc,
    token,
    time,
    approvesFromZeroAlone,
  }: { htlc: EvmAddress; token: EvmAddress; time: number; approvesFromZeroAlone: boolean },
) {
  const target = toHex(to);
  add(state, zero, from, -value);
  add(state, zero, target, value);
  const log = (preimageHash: Sha256, key: Uint8Array, what: LockEvent['what']) => [{ preimageHash, key, what }];
  if (data.length === 0) return [];
  const input = bytesToHex(data);
  if (target === toHex(token)) {
    const { functionName, args } = decodeFunctionData({ abi: erc20, data: input });
    if (functionName === 'approve') {
      const taker = `${from} ${args[0].slice(2).toLowerCase()}`;
      if (approvesFromZeroAlone && args[1] > 0n && (state.allowances.get(taker) ?? 0n) > 0n)
        throw new Reverted('approve from non-zero to non-zero allowance');
      state.allowances.set(taker, args[1]);
    } else if (functionName === 'transfer') {
      add(state, target, from, -args[1]);
      add(state, target, args[0].slice(2).toLowerCase(), args[1]);
    } else throw new Reverted('the token has no permit');
    return [];
  }
  if (target !== toHex(htlc)) throw new Reverted('there is no such contract');
  const selector = input.slice(0, 10);
  const address = (hex: string) => asEvmAddress(fromHex(hex.slice(2).toLowerCase()));
  const word = (hex: string) => fromHex(hex.slice(2));
  const terms = (preimageHash: Sha256, more: Omit<LockTerms, 'preimageHash'>): LockTerms => ({
    preimageHash,
    ...more,
  });
  const self = asEvmAddress(fromHex(from));
  if (selector === createErc20 || selector === createErc20For || selector === createNative) {
    const native = selector === createNative;
    const read = native
      ? (() => {
          const { args } = decodeFunctionData({ abi: htlcNative, data: input });
          return {
            hash: args[0],
            amount: value,
            of: zero,
            refund: from,
            claim: args[1] as string,
            timelock: args[2] as bigint,
          };
        })()
      : selector === createErc20For
        ? (() => {
            const { args } = decodeFunctionData({ abi: createFor, data: input });
            const [hash, amount, of, refund, claim, timelock] = args;
            return { hash, amount, of: of.slice(2).toLowerCase(), refund: refund.slice(2), claim, timelock };
          })()
        : (() => {
            const { args } = decodeFunctionData({ abi: htlcErc20, data: input });
            const [hash, amount, of, claim, timelock] = args;
            return {
              hash,
              amount,
              of: of.slice(2).toLowerCase(),
              refund: from,
              claim,
              timelock: timelock as bigint,
            };
          })();
    if (read.timelock <= BigInt(time)) throw new Reverted('TimelockTooSoon');
    const lock = terms(asSha256(word(read.hash)), {
      amount: read.amount,
      token: asEvmAddress(fromHex(read.of)),
      refundAddress: address(`0x${read.refund}`),
      claimAddress: address(read.claim),
      timelock: read.timelock,
    });
    const key = swapKey(lock);
    const before = state.locks.get(toHex(key));
    if (before !== undefined)
      throw new Reverted(
        'SwapExists',
        encodeErrorResult({ abi: errors, errorName: 'SwapExists', args: [bytesToHex(key), before.state] }),
      );
    // Any other token is worth nothing, and its maker has as much of it as it likes.
    if (!native && read.of !== toHex(token)) add(state, read.of, toHex(htlc), read.amount);
    else if (!native) {
      const allowance = state.allowances.get(`${from} ${toHex(htlc)}`) ?? 0n;
      if (allowance < read.amount) throw new Reverted('the allowance is too small');
      state.allowances.set(`${from} ${toHex(htlc)}`, allowance - read.amount);
      add(state, read.of, from, -read.amount);
      add(state, read.of, toHex(htlc), read.amount);
    }
    state.locks.set(toHex(key), { state: 1, terms: lock });
    return log(lock.preimageHash, key, { is: 'created', terms: lock });
  }
  const { functionName, args } = decodeFunctionData({ abi: htlcErc20, data: input });
  const [first, amount, of, other, timelock] = args;
  const common = { amount, token: address(of), timelock };
  if (functionName === 'redeem') {
    const preimage = asPreimage(word(first));
    const hash = sha256Of(preimage);
    const key = settle(state, terms(hash, { ...common, refundAddress: address(other), claimAddress: self }), 2);
    add(state, of.slice(2).toLowerCase(), toHex(htlc), -amount);
    add(state, of.slice(2).toLowerCase(), from, amount);
    return log(hash, key, { is: 'redeemed', preimage });
  }
  if (BigInt(time) < timelock) throw new Reverted('TimelockNotExpired');
  const hash = asSha256(word(first));
  const key = settle(state, terms(hash, { ...common, refundAddress: self, claimAddress: address(other) }), 3);
  add(state, of.slice(2).toLowerCase(), toHex(htlc), -amount);
  add(state, of.slice(2).toLowerCase(), from, amount);
  return log(hash, key, { is: 'refunded' });
}
