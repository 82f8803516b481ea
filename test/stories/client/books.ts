import { setTimeout as pause } from 'node:timers/promises';
import type { Json } from './http.ts';

/** Looks at the books take turns with what moves: a difference that is gone in this time is none. */
const patienceMs = 10_000;

/**
 * Wallets of which the books go on saying something else than the networks, and assets whose accounts do not come to
 * zero, by name. What a network does not say is nothing to compare with. `accounts` asks for `GET /owner/accounts`.
 */
export async function booksApart(accounts: () => Promise<Json>): Promise<readonly string[]> {
  for (const deadline = performance.now() + patienceMs; ; await pause(200)) {
    const apart = differencesIn(await accounts());
    if (apart.length === 0 || performance.now() > deadline) return apart;
  }
}

/** What the answer of `GET /owner/accounts` has of differences. */
export function differencesIn(answer: Json): readonly string[] {
  const wallets = answer['wallets'] as { network: string; asset: string; difference: string | null }[];
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
