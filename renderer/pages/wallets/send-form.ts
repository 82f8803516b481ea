import { readUnits } from '../../format/amount.ts';
import { words } from '../../words/words.ts';
import { isEvm } from '../../../engine/domain/chain.ts';
import { sats } from '../../../engine/domain/money.ts';
import { routingCeiling, withdrawalCeiling } from '../../../engine/domain/withdrawal-cost.ts';
import { ceilingsIn, type Holding } from './holdings.ts';

export interface SendText {
  readonly address: string;
  readonly amount: string;
  /** Whether all that is free is sent, less the fee. */
  readonly all: boolean;
  readonly maxFee: string;
}

/** What would be sent. */
export interface ReadySend {
  readonly is: 'ready';
  readonly address: string;
  readonly amount: string;
  readonly maxFee: string | null;
}

/** The same, or what is wrong with each field. */
export type SendRead =
  | ReadySend
  | {
      readonly is: 'wrong';
      readonly address: string | null;
      readonly amount: string | null;
      readonly fee: string | null;
    };

export function readSend(text: SendText, holding: Holding, shown: (amount: string) => string): SendRead {
  const address = text.address.trim();
  const units = text.all ? 'all' : readUnits(text.amount, holding.decimals);
  const fee = text.maxFee.trim() === '' ? null : readUnits(text.maxFee, 0);
  const wrong = {
    address: address === '' ? words.wallets.needAddress : null,
    amount:
      units === null
        ? words.wallets.needAmount
        : units !== 'all' && BigInt(units) > BigInt(holding.free)
          ? words.wallets.tooMuch(shown(holding.free))
          : null,
    fee: text.maxFee.trim() !== '' && fee === null ? words.wallets.badFee : null,
  };
  if (units === null || wrong.address !== null || wrong.amount !== null || wrong.fee !== null)
    return { is: 'wrong', ...wrong };
  return { is: 'ready', address, amount: units, maxFee: fee };
}

/** What it may cost, as a sentence; null where nobody has set a ceiling that the page knows. */
export function ceilingText(
  network: string,
  { amount, maxFee }: { amount: string; maxFee: string | null },
  free: string,
  settings: unknown,
): string | null {
  const ceilings = ceilingsIn(settings);
  const of = sats(BigInt(amount === 'all' ? free : amount));
  function most(rule: typeof withdrawalCeiling): string | null {
    const figure = maxFee ?? (ceilings === null ? null : rule(of, ceilings));
    return figure === null ? null : `${BigInt(figure).toLocaleString('en')} sats`;
  }
  const figure =
    network === 'bitcoin' ? most(withdrawalCeiling) : network === 'lightning' ? most(routingCeiling) : null;
  if (figure === null) return null;
  return network === 'bitcoin' ? words.wallets.ceiling(figure) : words.wallets.ceilingRouting(figure);
}

/**
 * The most that can be typed and is sent: all that is free, and over Lightning what the dearest route leaves of it.
 * Null where there is none, and where the fee comes out of the same and all of it is sent by another field.
 */
export function mostSent(
  { network, free, gas, of }: Pick<Holding, 'network' | 'free' | 'gas' | 'of'>,
  maxFee: string,
  settings: unknown,
): string | null {
  if (free === '0' || gas || of !== 'node') return null;
  if (network === 'arkade' || isEvm(network)) return free;
  if (network !== 'lightning') return null;
  const ceilings = ceilingsIn(settings);
  // No amount below all of it has a higher ceiling.
  const byRule = ceilings === null ? null : routingCeiling(sats(BigInt(free)), ceilings);
  const fee = maxFee.trim() === '' ? byRule : readUnits(maxFee, 0);
  if (fee === null || BigInt(fee) >= BigInt(free)) return null;
  return String(BigInt(free) - BigInt(fee));
}
