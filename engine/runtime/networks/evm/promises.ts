import type { EvmNetwork } from '../../../domain/chain.ts';
import { satsUp, type Sats } from '../../../domain/money.ts';
import type { NonceRow } from '../../../store/nonces.ts';
import type { Store } from '../../../store/store.ts';

/** Whose transactions take some of a token, as hex: what these take is counted by their nonces. */
export function takersOf(token: string, rows: readonly NonceRow[]): string[] {
  return rows.filter(({ takes }) => takes?.token === token && takes.amount > 0n).map(({ subject }) => subject);
}

/** Sats of the token of a chain that are promised to others than these. */
export function promisedBeside(
  subjects: Iterable<string>,
  network: EvmNetwork,
  { reservations }: Pick<Store, 'reservations'>,
): Sats {
  const own = [...new Set(subjects)]
    .flatMap((subject) => reservations.ofSwap(subject))
    .filter((one) => one.network === network && one.asset === 'btc');
  return satsUp(own.reduce((left, { amount }) => left - amount, reservations.total({ network, asset: 'btc' })));
}
