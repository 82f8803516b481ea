import { setTimeout as pause } from 'node:timers/promises';
import { ask, textOf, type Json } from './http.ts';
import { patienceMs, type Tour } from './tour.ts';

interface Choice {
  readonly side: 'source' | 'target';
  readonly chain: string;
  /** Null for the first of the chain: its BTC-pegged token, or its coin. */
  readonly symbol: string | null;
}

/** A token of the sandbox, once its chain can be swapped on. */
export async function tokenOn({ node }: Tour, { side, chain, symbol }: Choice): Promise<string> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const { pairs } = await ask(node, 'GET', '/swap-pairs');
    if ((pairs as Json[]).some((pair) => pair[side] === chain)) break;
    if (performance.now() > deadline) throw new Error(`Chain ${chain} cannot be swapped on.`);
    await pause(250);
  }
  const { evm } = await ask(node, 'GET', '/sandbox');
  const { tokens } = (evm as Readonly<Record<string, Json>>)[chain] as { tokens: readonly Json[] };
  const token = symbol === null ? tokens[0] : tokens.find((one) => one['symbol'] === symbol);
  return textOf(token ?? {}, 'address');
}
