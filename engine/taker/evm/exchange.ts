import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import type { Sats } from '../../domain/money.ts';
import { leastOut, mostIn } from '../../domain/slippage.ts';
import type { RecordToken } from '../../swap/halves/evm/record.ts';
import type { SpendTerms } from './shape.ts';
import type { EvmOrderTerms, ExchangeTerms } from './terms.ts';

/** Our own exchange of a chain, asked for one token. */
export interface OrderedExchange {
  readonly token: RecordToken;
  readonly slippageBps: number;
  /** What so many units of the token of locks would bring now. */
  brings(locked: bigint): Promise<bigint | Refusal>;
  /** What so many units of the token of locks would take of it now. */
  takes(locked: bigint): Promise<bigint | Refusal>;
  /** What so much of it would make of the token of locks now. */
  makes(given: bigint): Promise<bigint | Refusal>;
}

/** How far a price may move between an offer and the create that follows it. */
const driftBps = 50;

/**
 * How much less than expected may arrive, or how much more be given: what an owner is shown, and what every claim and
 * every lock is held to.
 */
export function lessBps(slippageBps: number): number {
  return slippageBps + driftBps;
}

/**
 * What is agreed with an exchange on the way, or why not: a promise that our own exchange does not bear out would end
 * in the token of the lock, whoever made it. `agreed`: the least that the owner was shown, where it was.
 */
export async function agreedExchange(
  exchange: OrderedExchange,
  of: {
    readonly chain: Pick<EvmOrderTerms, 'pegged'>;
    readonly source: Sats;
    readonly quoted: { readonly target: bigint; readonly fees: Sats };
    readonly agreed: bigint | undefined;
  },
): Promise<ExchangeTerms | Refusal> {
  const { token, slippageBps } = exchange;
  const { target, fees } = of.quoted;
  const least = of.agreed ?? leastOut(target, lessBps(slippageBps));
  const reach = leastOut(target, slippageBps);
  if (reach < least)
    return refuse(
      'forbidden',
      `least_target_amount is ${least}, and ${reach} may arrive where the exchange comes out ${slippageBps / 100} ` +
        '% worse: agree to that or less. Nothing was begun.',
    );
  const left = of.source - fees;
  if (left <= 0n) return refuse('forbidden', 'The fees exceed this amount: ask for a larger one.');
  const brings = await exchange.brings((left * 10n ** BigInt(of.chain.pegged.decimals)) / 100_000_000n);
  if (isRefusal(brings)) return brings;
  // What the slippage allows for is for the way there: a provider that promises more has taken it as a fee.
  if (leastOut(brings, slippageBps) < least)
    return refuse(
      'forbidden',
      `The provider promises ${target}, and the exchange of this node would bring ${brings} now: try again, or ` +
        'use another provider.',
    );
  return { token, least, slippageBps, mostFees: fees };
}

/**
 * What may be given for so many units of the token of locks, or why not. `agreed`: the most that the owner was shown,
 * where it was.
 */
export async function agreedSpend(
  { token, slippageBps, takes }: OrderedExchange,
  { locked, agreed }: { readonly locked: bigint; readonly agreed: bigint | undefined },
): Promise<SpendTerms | Refusal> {
  const amount = await takes(locked);
  if (isRefusal(amount)) return amount;
  const most = agreed ?? mostIn(amount, lessBps(slippageBps));
  const reach = mostIn(amount, slippageBps);
  if (reach > most)
    return refuse(
      'forbidden',
      `most_source_amount is ${most}, and ${reach} may have to be given where the exchange comes out ` +
        `${slippageBps / 100} % worse: agree to that or more. Nothing was begun.`,
    );
  return { token, most, slippageBps };
}
