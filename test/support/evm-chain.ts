import {
  type Hex,
  bytesToHex,
  hexToBytes,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  serializeTransaction,
  toHex as numberToHex,
} from 'viem';
import { chainIdOf, type EvmNetwork } from '../../engine/domain/chain.ts';
import { asEvmAddress, type EvmAddress } from '../../engine/domain/evm.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { unix } from '../../engine/domain/time.ts';
import { accountOf } from '../../engine/legs/evm/account.ts';
import { evmFailure } from '../../engine/legs/evm/failures.ts';
import type {
  EvmBroadcast,
  EvmCall,
  EvmHeads,
  EvmPort,
  EvmReceipt,
  GasFees,
  LogRange,
} from '../../engine/legs/evm/port.ts';
import { swapKey } from '../../engine/legs/evm/swap-key.ts';
import { signRecoverable } from '../../engine/legs/secp256k1.ts';
import { Reverted, add, apply, copy, zero, type State } from './evm-contracts.ts';

interface Pooled {
  readonly txid: string;
  readonly from: string;
  readonly nonce: number;
  readonly most: bigint;
  readonly tip: bigint;
  readonly gas: bigint;
  readonly call: EvmCall;
}

interface Block {
  readonly height: number;
  readonly hash: string;
  readonly time: number;
  readonly baseFee: bigint;
  readonly transactions: readonly Pooled[];
}

/** Of a port with one RPC: whatever it says of its tip and of logs is that one's word. */
export async function headsOf(port: Pick<EvmPort, 'tip' | 'events'>): Promise<EvmHeads> {
  const tip = await port.tip();
  const only = { name: 'memory', own: true, counts: true, tip, events: (range: LogRange) => port.events(range) };
  return { tip, agreed: true, sure: { time: tip.time, ago: 0 }, rpcs: [only] };
}

/**
 * An EVM chain in memory with one HTLC and one token: signatures, nonces, fees, balances and the rules of the HTLC are
 * those of the real ones. Blocks are mined when a test says so; a reorganisation replays what is left.
 */
export function createEvmChain(network: EvmNetwork, { legacy = false, approvesFromZeroAlone = false } = {}) {
  const htlc = asEvmAddress(new Uint8Array(20).fill(0xc1));
  const token = asEvmAddress(new Uint8Array(20).fill(0xc2));
  const blocks: Block[] = [
    { height: 0, hash: keccak256(numberToHex(0)).slice(2), time: 1_760_000_000, baseFee: 10n ** 9n, transactions: [] },
  ];
  const pool = new Map<string, Pooled>();
  const noted = new Map<string, EvmAddress>();
  const gifts: { token: string; to: string; amount: bigint }[] = [];
  let baseFee = 10n ** 9n;
  let salt = 0;
  let now = 1_760_000_000;

  function fresh(): State {
    const state: State = { balances: new Map(), allowances: new Map(), locks: new Map(), nonces: new Map() };
    for (const { token: of, to, amount } of gifts) add(state, of, to, amount);
    return state;
  }

  /** The state after all blocks, with what each transaction came to. */
  function replay(): { state: State; receipts: Map<string, EvmReceipt> } {
    let state = fresh();
    const receipts = new Map<string, EvmReceipt>();
    for (const block of blocks) {
      let logIndex = 0;
      for (const { txid, from, nonce, call, gas, tip, most } of block.transactions) {
        const used = gas < 100_000n ? gas : 100_000n;
        const price = most < block.baseFee + tip ? most : block.baseFee + tip;
        const cost = used * price;
        add(state, zero, from, -cost);
        state.nonces.set(from, nonce + 1);
        const before = copy(state);
        try {
          const logs = apply(state, from, call, { htlc, token, time: block.time, approvesFromZeroAlone });
          const events = logs.map((one) => ({
            ...one,
            htlc,
            txid,
            height: block.height,
            blockHash: block.hash,
            logIndex: logIndex++,
          }));
          const payer = asEvmAddress(hexToBytes(`0x${from}`));
          // Those into locks: nobody reads another here.
          const transfers = events.flatMap(({ what }) =>
            what.is === 'created'
              ? [{ token: what.terms.token, from: payer, to: htlc, amount: what.terms.amount, logIndex: logIndex++ }]
              : [],
          );
          receipts.set(txid, { ok: true, height: block.height, blockHash: block.hash, cost, events, transfers });
        } catch (cause) {
          if (!(cause instanceof Reverted)) throw cause;
          state = before;
          receipts.set(txid, {
            ok: false,
            height: block.height,
            blockHash: block.hash,
            cost,
            events: [],
            transfers: [],
          });
        }
      }
    }
    return { state, receipts };
  }

  const tip = (): Block => blocks.at(-1) as Block;

  function mineOne(take: (one: Pooled) => boolean): void {
    const { state } = replay();
    const mined: Pooled[] = [];
    const next = new Map(state.nonces);
    for (;;) {
      const one = [...pool.values()].find(
        (each) => each.nonce === (next.get(each.from) ?? 0) && each.most >= baseFee && take(each),
      );
      if (one === undefined) break;
      mined.push(one);
      next.set(one.from, one.nonce + 1);
      pool.delete(one.txid);
    }
    for (const [txid, one] of pool) if (one.nonce < (next.get(one.from) ?? 0)) pool.delete(txid);
    const height = tip().height + 1;
    now = Math.max(now, tip().time) + 2;
    const hash = keccak256(numberToHex(height * 1_000 + salt)).slice(2);
    blocks.push({ height, hash, time: now, baseFee, transactions: mined });
  }

  async function broadcast(bytes: Uint8Array): Promise<EvmBroadcast> {
    const serialized = bytesToHex(bytes) as `0x02${string}`;
    const read = parseTransaction(serialized);
    if (Number(read.chainId) !== chainIdOf(network)) return { is: 'refused', reason: 'another chain' };
    const isLegacy = (read.type as string) === 'legacy';
    if (isLegacy !== legacy) return { is: 'refused', reason: 'a transaction of another type' };
    const from = (await recoverTransactionAddress({ serializedTransaction: serialized })).slice(2).toLowerCase();
    const txid = keccak256(serialized).slice(2);
    const { state, receipts } = replay();
    if (pool.has(txid) || receipts.has(txid)) return { is: 'accepted' };
    const nonce = read.nonce ?? 0;
    if (nonce < (state.nonces.get(from) ?? 0)) return { is: 'nonce-used' };
    const most = (read as unknown as { gasPrice?: bigint }).gasPrice ?? read.maxFeePerGas ?? 0n;
    const tipOf = isLegacy ? most : (read.maxPriorityFeePerGas ?? 0n);
    const rival = [...pool.values()].find((one) => one.from === from && one.nonce === nonce);
    const eighth = (wei: bigint) => (wei * 110n + 99n) / 100n;
    if (rival !== undefined && (most < eighth(rival.most) || tipOf < eighth(rival.tip))) return { is: 'underpriced' };
    const gas = read.gas ?? 0n;
    const value = read.value ?? 0n;
    if ((state.balances.get(`${zero} ${from}`) ?? 0n) < gas * most + value)
      return { is: 'refused', reason: 'insufficient funds for gas * price + value' };
    if (rival !== undefined) pool.delete(rival.txid);
    const to = asEvmAddress(hexToBytes(read.to as Hex));
    const call = { to, value, data: hexToBytes(read.data ?? '0x') };
    pool.set(txid, { txid, from, nonce, most, tip: tipOf, gas, call });
    return { is: 'accepted' };
  }

  return {
    network,
    htlc,
    token,
    blocks,
    pool,
    give(of: EvmAddress | null, to: EvmAddress, amount: bigint): void {
      gifts.push({ token: of === null ? zero : toHex(of), to: toHex(to), amount });
    },
    /** What a coordinator would note of a lock that it makes for somebody. */
    note(key: Uint8Array, depositor: EvmAddress): void {
      noted.set(toHex(key), depositor);
    },
    setBaseFee(wei: bigint): void {
      baseFee = wei;
    },
    setTime(time: number): void {
      now = time;
    },
    mine(count = 1, take: (one: Pooled) => boolean = () => true): void {
      for (let i = 0; i < count; i++) mineOne(take);
    },
    /** Takes the last blocks back; what they held waits again, unless it is dropped. */
    reorg(depth: number, { drop = false } = {}): void {
      salt += 1;
      const undone = blocks.splice(blocks.length - depth);
      if (!drop) for (const one of undone.flatMap(({ transactions }) => transactions)) pool.set(one.txid, one);
    },
    replay,
    /** The port of an account on it, which a test may have lie. */
    port(secret: Uint8Array): EvmPort {
      const account = accountOf(secret);
      const self = toHex(account);
      const port: EvmPort = {
        identity: async () => ({ chainId: chainIdOf(network), genesis: blocks[0]?.hash ?? '' }),
        tip: async () => ({ height: tip().height, hash: tip().hash, time: unix(tip().time) }),
        heads: () => headsOf(port),
        heights: async (tell) => tell('memory', tip().height),
        doubt: () => undefined,
        rpcs: () => [{ name: 'memory', own: true, failure: null }],
        disagreement: () => null,
        events: async ({ from, to }) =>
          [...replay().receipts.values()]
            .flatMap(({ events }) => events)
            .filter(({ height }) => height >= from && height <= to),
        receipt: async (txid) => replay().receipts.get(txid) ?? null,
        isActive: async (_htlc, lock) => replay().state.locks.get(toHex(swapKey(lock)))?.state === 1,
        depositor: async (_coordinator, key) => noted.get(toHex(key)) ?? null,
        depositorIn: async (_block, _coordinator, key) => noted.get(toHex(key)) ?? 'nobody',
        account: () => account,
        nonces: async () => {
          const mined = replay().state.nonces.get(self) ?? 0;
          let pending = mined;
          while ([...pool.values()].some((one) => one.from === self && one.nonce === pending)) pending += 1;
          return { mined, pending };
        },
        minedOf: async (of) => ({ mined: replay().state.nonces.get(toHex(of)) ?? 0 }),
        simulate: async (call) => {
          const state = copy(replay().state);
          try {
            apply(state, self, call, { htlc, token, time: now + 2, approvesFromZeroAlone });
            return { is: 'passes', gas: call.data.length === 0 ? 21_000n : 100_000n };
          } catch (cause) {
            if (!(cause instanceof Reverted)) throw cause;
            return { is: 'reverts', reason: cause.message, data: cause.data };
          }
        },
        gasFees: async (): Promise<GasFees> =>
          legacy ? { is: 'legacy', price: baseFee } : { is: 'dynamic', most: 2n * baseFee + 10n ** 8n, tip: 10n ** 8n },
        sign: ({ to, value, data, nonce, gas, fees }) => {
          const common = { chainId: chainIdOf(network), to: bytesToHex(to), value, data: bytesToHex(data), nonce, gas };
          const fields =
            fees.is === 'legacy'
              ? ({ ...common, type: 'legacy', gasPrice: fees.price } as const)
              : ({ ...common, type: 'eip1559', maxFeePerGas: fees.most, maxPriorityFeePerGas: fees.tip } as const);
          const { r, s, yParity } = signRecoverable(keccak256(serializeTransaction(fields), 'bytes'), secret);
          const v = fees.is === 'legacy' ? BigInt(chainIdOf(network)) * 2n + 35n + BigInt(yParity) : BigInt(yParity);
          const bytes = hexToBytes(serializeTransaction(fields, { r: bytesToHex(r), s: bytesToHex(s), v, yParity }));
          return { txid: keccak256(bytes).slice(2), bytes };
        },
        signDigest: (digest) => {
          const { r, s, yParity } = signRecoverable(digest, secret);
          return { v: 27 + yParity, r, s };
        },
        broadcast,
        balance: async (of, who) => replay().state.balances.get(`${toHex(of)} ${toHex(who)}`) ?? 0n,
        sureBalance: async (of, who) => replay().state.balances.get(`${toHex(of)} ${toHex(who)}`) ?? 0n,
        allowance: async (_token, owner, spender) =>
          replay().state.allowances.get(`${toHex(owner)} ${toHex(spender)}`) ?? 0n,
        sureAllowance: async (_token, owner, spender) =>
          replay().state.allowances.get(`${toHex(owner)} ${toHex(spender)}`) ?? 0n,
        ownContracts: async () => ({ lacking: null, contracts: [] }),
        stands: async () => true,
        isOurs: async () => true,
        token: async () => ({ decimals: 8, symbol: 'BTC', name: 'Bitcoin' }),
        received: async () => null,
        read: () => Promise.reject(evmFailure('evm-unclear', 'never', 'nothing is read here')),
      };
      return port;
    },
  };
}

export type EvmChain = ReturnType<typeof createEvmChain>;
