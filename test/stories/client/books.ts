import { setTimeout as pause } from 'node:timers/promises';
import type { Json } from './http.ts';

/** Looks at the books take turns with what moves: a difference that is gone in this time is none. */
const patienceMs = 10_000;
/** At the rhythm of real networks books begin at their third look, and eight seconds lie between two. */
const firstLookMs = 40_000;

/**
 * Wallets of which the books go on saying something else than the networks or were never compared, and assets whose
 * accounts do not come to zero, by name. `accounts` asks for `GET /owner/accounts`.
 */
export async function booksApart(
  accounts: () => Promise<Json>,
  forAFirstLookMs = firstLookMs,
): Promise<readonly string[]> {
  const begun = performance.now();
  for (; ; await pause(200)) {
    const answer = await accounts();
    const [apart, never] = [differencesIn(answer), neverCompared(answer)];
    const waited = performance.now() - begun;
    if (waited > forAFirstLookMs || (never.length === 0 && (apart.length === 0 || waited > patienceMs)))
      return [...apart, ...never];
  }
}

interface Wallet {
  readonly network: string;
  readonly asset: string;
  readonly account: string;
  readonly difference: string | null;
  readonly unknown: string | null;
}

/**
 * Wallets that no look compared since the node started, and why. A network that was never set, and a chain that the
 * sandbox starts for whoever needs it, do not answer and have no line in the books: of those there is none.
 */
function neverCompared(answer: Json): readonly string[] {
  const lines = answer['accounts'] as Pick<Wallet, 'network' | 'asset' | 'account'>[];
  const isBegun = (of: Wallet): boolean =>
    lines.some(({ network, asset, account }) => network === of.network && asset === of.asset && account === of.account);
  return (answer['wallets'] as Wallet[])
    .filter(({ difference }) => difference === null)
    .filter((wallet) => isBegun(wallet) || !/\banswers?$/.test(wallet.unknown ?? ''))
    .map(
      ({ network, asset, account, unknown }) =>
        `${network} ${asset} ${account} was never compared (${unknown ?? 'no reason'})`,
    );
}

/** What the answer of `GET /owner/accounts` has of differences. */
export function differencesIn(answer: Json): readonly string[] {
  const wallets = answer['wallets'] as Wallet[];
  const sums = new Map<string, bigint>();
  for (const { network, asset, balance } of answer['accounts'] as Record<'network' | 'asset' | 'balance', string>[]) {
    const name = `${network} ${asset}`;
    sums.set(name, (sums.get(name) ?? 0n) + thousandths(balance));
  }
  return [
    ...wallets
      .filter(({ difference }) => difference !== null && difference !== '0')
      .map(({ network, asset, difference }) => `${network} ${asset} by ${difference}`),
    ...[...sums].filter(([, sum]) => sum !== 0n).map(([name, sum]) => `the accounts of ${name} come to ${sum}/1000`),
  ];
}

function thousandths(amount: string): bigint {
  const [units = '', rest = ''] = amount.replace('-', '').split('.');
  const size = BigInt(units + rest.padEnd(3, '0'));
  return amount.startsWith('-') ? -size : size;
}
