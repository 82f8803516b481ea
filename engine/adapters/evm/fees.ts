import { nativeChainIds } from '../../domain/chain.ts';
import { evmFailure } from '../../legs/evm/failures.ts';
import type { GasFees } from '../../legs/evm/port.ts';
import { NoAnswer } from '../probe/answer.ts';
import { asFields } from './read.ts';
import { asQuantity } from './rpc.ts';
import type { Sources } from './sources.ts';
import type { Source } from './source.ts';

/** What an RPC says of the next block: wei for each unit of gas. */
interface Estimate {
  readonly base: bigint;
  readonly tip: bigint;
}

/** Blocks whose tips are looked at, and which of the tips paid in each, in percent of the gas. */
const blocks = 10;
const percentile = 50;
/** Wei for each unit of gas that nobody ever had to pay for long: ten times the worst hour of Ethereum. */
const absurd = 100_000n * 10n ** 9n;
/** RPCs whose estimates differ by more than this factor do not speak of the same blocks. */
const factor = 4n;
/** How long what was believed last says something, in milliseconds. */
const memoryMs = 3_600_000;

/**
 * What a transaction pays to be in one of the next blocks, by everybody who answers. Where they are far apart the one
 * that is nearest to what was believed last counts, so that neither a price of nothing nor one of everything is taken
 * from one that lies (facts/faults.md 59).
 */
export function createFees(chainId: number, sources: Sources) {
  const isLegacy = nativeChainIds.includes(chainId);
  let last: { readonly sum: bigint; readonly at: number } | null = null;

  async function estimate(source: Source): Promise<Estimate> {
    const next = isLegacy ? await legacyPrice(source) : await history(source);
    if (next.base + next.tip > absurd)
      throw new NoAnswer('not-it', `it wants ${next.base + next.tip} wei for a unit of gas`);
    return next;
  }

  async function legacyPrice(source: Source): Promise<Estimate> {
    return { base: 0n, tip: asQuantity(await sources.ask(source, 'eth_gasPrice'), 'a gas price') };
  }

  async function history(source: Source): Promise<Estimate> {
    const answer = asFields(
      await sources.ask(source, 'eth_feeHistory', `0x${blocks.toString(16)}`, 'latest', [percentile]),
      'a history of fees',
    );
    const bases = answer['baseFeePerGas'];
    const rewards = answer['reward'] ?? [];
    if (!Array.isArray(bases) || bases.length === 0 || !Array.isArray(rewards))
      throw new NoAnswer('not-it', 'it answered without a history of fees');
    const tips = rewards
      .flatMap((row: unknown) => (Array.isArray(row) && row.length > 0 ? [asQuantity(row[0], 'a tip')] : []))
      .filter((tip) => tip > 0n)
      .toSorted((a, b) => (a < b ? -1 : 1));
    return {
      base: asQuantity(bases.at(-1), 'a base fee'),
      tip: tips[Math.floor(tips.length / 2)] ?? (await suggested(source)),
    };
  }

  /** Where the last blocks were empty they show no tip; not every node suggests one. */
  async function suggested(source: Source): Promise<bigint> {
    return sources
      .ask(source, 'eth_maxPriorityFeePerGas')
      .then((tip) => asQuantity(tip, 'a tip'))
      .catch(() => 1n);
  }

  /** Of estimates that are close the highest: what is not needed of it is not paid. */
  function chosen(estimates: readonly Estimate[]): Estimate {
    const bySum = estimates.toSorted((a, b) => (sumOf(a) < sumOf(b) ? -1 : 1));
    const [lowest, highest] = [bySum[0] as Estimate, bySum.at(-1) as Estimate];
    if (sumOf(highest) <= factor * sumOf(lowest)) return highest;
    if (bySum.length > 2) return bySum[Math.floor(bySum.length / 2)] as Estimate;
    if (last === null || performance.now() - last.at > memoryMs) return sumOf(lowest) === 0n ? highest : lowest;
    const { sum } = last;
    return distance(sumOf(lowest), sum) <= distance(sumOf(highest), sum) ? lowest : highest;
  }

  return async function gasFees(): Promise<GasFees> {
    const answers = await sources.each(estimate);
    const { base, tip } = chosen(answers.map(({ answer }) => answer));
    if (isLegacy && tip === 0n)
      throw evmFailure('evm-unclear', 'safe', `The RPC of chain ${chainId} says that gas costs nothing.`);
    last = { sum: base + tip, at: performance.now() };
    // The base fee may rise by an eighth with each block: twice of it holds for six.
    return isLegacy ? { is: 'legacy', price: tip } : { is: 'dynamic', most: 2n * base + tip, tip };
  };
}

function sumOf({ base, tip }: Estimate): bigint {
  return base + tip;
}

/** How many times one is the other, whichever is larger, in thousandths. */
function distance(a: bigint, b: bigint): bigint {
  const [low, high] = a < b ? [a, b] : [b, a];
  return (1_000n * high) / (low === 0n ? 1n : low);
}
