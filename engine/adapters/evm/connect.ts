import { bytesToHex, decodeFunctionResult, encodeFunctionData, parseAbi, keccak256 } from 'viem/utils';
import type { EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { accountOf, signTransaction } from '../../legs/evm/account.ts';
import { reachedByEnough } from '../../legs/evm/agreement.ts';
import type { ChosenBy, EvmPort, LockEvent, LogRange } from '../../legs/evm/port.ts';
import type { LockTerms } from '../../legs/evm/swap-key.ts';
import { signRecoverable } from '../../legs/secp256k1.ts';
import { broadcastTo } from './broadcast.ts';
import { readAgreed, readBy, saidAlike, wordBy, type Connection } from './call.ts';
import { ownContracts } from './contracts.ts';
import { contractsBy, standsBy } from './deployment.ts';
import { depositorAtBlock, depositorBy, type Word } from './depositor.ts';
import { createFees } from './fees.ts';
import { codeIsOurs } from './genuine.ts';
import { createHeights } from './heights.ts';
import { aloneOf, backed, inStep } from './in-step.ts';
import { createLogs } from './logs.ts';
import { asCount } from './read.ts';
import { receiptBy } from './receipts.ts';
import { receivedBy } from './received.ts';
import { asQuantity, type Rpc } from './rpc.ts';
import { createSources } from './sources.ts';
import type { Source } from './source.ts';
import { shared } from './shared.ts';
import { estimateOf, simulateBy } from './simulate.ts';
import { createTips } from './tips.ts';
import type { TipRules } from './heads.ts';
import { tokenBy } from './token.ts';

export interface EvmOptions {
  readonly chainId: number;
  /** In the order of preference. */
  readonly rpc: readonly string[];
  /** Private key of our account, 32 bytes. */
  readonly key: Uint8Array;
  /** Hash of the first block of the chain that open swaps are on; null for none. */
  readonly boundTo: string | null;
  /** Unix seconds. */
  readonly wall: () => number;
  /** Age of its last block at which an RPC stands still; null, or left out, where blocks come on request. */
  readonly maxTipAge?: TipRules['maxTipAge'];
  readonly agreedBefore?: TipRules['agreedBefore'];
}

const htlcAbi = parseAbi(['function isActive(bytes32,uint256,address,address,address,uint256) view returns (bool)']);
const tokenAbi = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address,address) view returns (uint256)',
]);

/**
 * Units of gas for a contract that strangers chose: what a token says of itself is a few reads of its storage, a quote
 * goes through hundreds of steps of price. More takes an RPC seconds.
 */
const gasFor = { token: 500_000n, view: 10_000_000n };

/** The port of one EVM chain over the RPCs that the owner gave for it. */
export function connectEvm({ chainId, rpc, key, boundTo, ...rules }: EvmOptions): EvmPort {
  const sources = createSources(chainId, rpc, boundTo);
  const tips = createTips(chainId, sources, { maxTipAge: () => null, agreedBefore: () => null, ...rules });
  const logs = createLogs(chainId, sources, tips);
  const gasFees = shared(createFees(chainId, sources));
  const account = accountOf(key);
  const own: Connection = { sources, tips, account };

  const wordOf =
    (source: Source, to: EvmAddress): Word =>
    (data, at) =>
      wordBy(own, source, to, data, at);

  const nonces = shared(() => noncesOf(own));

  return {
    identity: () => sources.identity(),
    tip: async () => (await tips.heads()).tip,
    async heads() {
      const { answers, ...heads } = await tips.heads();
      const rpcs = answers.map(({ source, answer: { height, hash, time }, counts }) => ({
        name: source.name,
        own: source.own,
        counts,
        tip: { height, hash, time },
        events: (range: LogRange, wanted?: (event: LockEvent) => boolean) => logs.of(source, range, wanted),
      }));
      return { ...heads, rpcs };
    },
    heights: createHeights(sources),
    doubt: (sentence) => logs.contradiction(sentence),
    rpcs: () => sources.all.map(({ name, own, failure }) => ({ name, own, failure: failure?.message ?? null })),
    disagreement: () => tips.disagreement() ?? logs.disagreement(),
    events: (range) => logs.events(range),
    receipt: (txid, how) =>
      sources[how?.agreed === true ? 'agreed' : 'common']((source) => receiptBy(sources, source, txid)),
    isActive(htlc, lock, how) {
      const data = encodeFunctionData({ abi: htlcAbi, args: wordsOf(lock) });
      return sources[how?.agreed === true ? 'agreed' : 'first'](async (source) =>
        decodeFunctionResult({ abi: htlcAbi, data: await wordBy(own, source, htlc, data) }),
      );
    },
    depositor: (coordinator, key) => sources.first((source) => depositorBy(wordOf(source, coordinator), key)),
    depositorIn: (block, coordinator, key) =>
      sources.common((source) => depositorAtBlock(source, wordOf(source, coordinator), { block, key })),
    account: () => account,
    nonces,
    async minedOf(of) {
      const answers = inStep(sources, await sources.each((source) => countBy(own, source, of, 'latest')));
      return { mined: backed(answers.map(({ answer }) => answer)), ...aloneOf(sources, answers) };
    },
    // One that says no need not be right, and what is refused here is never sent; nor need an estimate be.
    async simulate(call) {
      const answers = (await sources.each((source) => simulateBy(own, source, call))).map(({ answer }) => answer);
      const estimates = answers.flatMap((one) => (one.is === 'passes' ? [one.gas] : []));
      const [refusal] = answers;
      if (estimates.length === 0 && refusal !== undefined) return refusal;
      return { is: 'passes', gas: estimateOf(estimates) };
    },
    gasFees,
    sign(transaction) {
      const bytes = signTransaction(chainId, transaction, key);
      return { bytes, txid: keccak256(bytes).slice(2) };
    },
    signDigest(digest) {
      const { r, s, yParity } = signRecoverable(digest, key);
      return { v: 27 + yParity, r, s };
    },
    broadcast: (bytes) => broadcastTo(sources, bytes),
    balance: (token, of, least = 0n, by = undefined) =>
      sources.until(
        (source) => balanceBy(reading(own, by), source, token, of),
        (held) => held >= least,
      ),
    sureBalance: (token, of) => sureOf(own, (source) => balanceBy(own, source, token, of)),
    allowance: (token, owner, spender, least = 0n, by = undefined) =>
      sources.until(
        (source) => allowanceBy(reading(own, by), source, { token, owner, spender }),
        (allowed) => allowed >= least,
      ),
    sureAllowance: (token, owner, spender) =>
      sureOf(own, (source) => allowanceBy(own, source, { token, owner, spender })),
    ownContracts: () => contractsBy(chainId, sources),
    stands: (addresses, confirmations) => standsBy(sources, addresses, confirmations),
    isOurs: (contracts) =>
      sources.agreed(async (source) => {
        const rpc: Rpc = (method, ...params) => sources.ask(source, method, ...params);
        const htlc = ownContracts(chainId, contracts).find(({ address }) => sameBytes(address, contracts.htlc));
        return htlc !== undefined && (await codeIsOurs(rpc, htlc));
      }),
    token(token, how) {
      const of = reading(own, how?.by);
      const read = (source: Source) => tokenBy((data) => readBy(of, source, { to: token, data }), toHex(token));
      return how?.agreed === true ? saidAlike(of, read) : sources.first(read);
    },
    received: (txid, of) => sources.common((source) => receivedBy(sources, source, txid, of)),
    read(call, how) {
      const of = reading(own, how?.by, gasFor.view);
      return how?.agreed === true ? readAgreed(of, call) : sources.first((source) => readBy(of, source, call));
    },
  };
}

/** A count of a moment before is as good: what was signed since then has its nonce in the store. */
async function noncesOf(own: Connection) {
  const { sources, account } = own;
  const all = await sources.each(async (source) => ({
    mined: await countBy(own, source, account, 'latest'),
    pending: await countBy(own, source, account, 'pending'),
  }));
  const answers = inStep(sources, all);
  const mined = backed(answers.map(({ answer }) => answer.mined));
  const pending = Math.max(mined, backed(answers.map(({ answer }) => answer.pending)));
  return { mined, pending, ...aloneOf(sources, answers) };
}

/** How a contract is read, by who chose it. */
function reading(own: Connection, by: ChosenBy | undefined, gas = gasFor.token): Connection {
  return by === undefined ? own : { ...own, sources: own.sources.aside(by), gas };
}

/** Of a token, or of the coin for the zero address. */
async function balanceBy(own: Connection, source: Source, token: EvmAddress, of: EvmAddress): Promise<bigint> {
  if (token.every((byte) => byte === 0))
    return asQuantity(await own.sources.ask(source, 'eth_getBalance', bytesToHex(of), 'latest'), 'a balance');
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'balanceOf', args: [bytesToHex(of)] });
  return BigInt(await wordBy(own, source, token, data));
}

async function allowanceBy(
  own: Connection,
  source: Source,
  { token, owner, spender }: { readonly token: EvmAddress; readonly owner: EvmAddress; readonly spender: EvmAddress },
): Promise<bigint> {
  const args = [bytesToHex(owner), bytesToHex(spender)] as const;
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'allowance', args });
  return BigInt(await wordBy(own, source, token, data));
}

/** Of all that answer: who is behind is told by what the others say of their blocks, and one of them may lie. */
async function sureOf({ sources }: Connection, read: (source: Source) => Promise<bigint>): Promise<bigint> {
  const answers = await sources.each(read);
  const words = answers.map(({ source, answer }) => ({ own: source.own, units: answer }));
  return reachedByEnough(words, ({ units }) => Number(units))?.units ?? 0n;
}

async function countBy(
  { sources }: Connection,
  source: Source,
  of: EvmAddress,
  at: 'latest' | 'pending',
): Promise<number> {
  return asCount(await sources.ask(source, 'eth_getTransactionCount', bytesToHex(of), at), 'a nonce');
}

function wordsOf(lock: LockTerms) {
  return [
    bytesToHex(lock.preimageHash),
    lock.amount,
    bytesToHex(lock.token),
    bytesToHex(lock.refundAddress),
    bytesToHex(lock.claimAddress),
    lock.timelock,
  ] as const;
}
