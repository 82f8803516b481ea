import type { Config } from '../../config.ts';
import type { Display } from '../../contract/owner/display.ts';
import type { Unix } from '../../domain/time.ts';
import type { Runtime } from '../../runtime/runtime.ts';

type Source = NonNullable<Config['prices']['fiat']>;
/** What a bitcoin costs, as the owner's source says it; rejects with the reason. */
export type ReadFiat = (source: Source) => Promise<number>;

/** Seconds between two questions, whether or not the first was answered. */
const restSeconds = 60;
/** An older price is none. */
const oldestSeconds = 86_400;

interface Memory {
  readonly source: Source;
  readonly price: { readonly of: number; readonly at: Unix } | null;
  readonly askedAt: Unix;
  readonly trouble: string | null;
}

/**
 * Asked only while somebody looks, once a minute at most: what it answers is shown beside amounts, and nothing that
 * begins, prices or refuses a swap reads it.
 */
export function createDisplay(
  context: { readonly runtime: { readonly clock: Pick<Runtime['clock'], 'now'> } } & {
    readonly config: Pick<Config, 'prices' | 'explorers'>;
  },
  read: ReadFiat,
): () => Promise<Display> {
  const wall = (): Unix => context.runtime.clock.now().wall;
  let memory: Memory | null = null;
  let asking: Promise<void> | null = null;

  async function ask(source: Source, before: Memory | null): Promise<void> {
    const askedAt = wall();
    try {
      memory = { source, price: { of: await read(source), at: wall() }, askedAt, trouble: null };
    } catch (cause) {
      const trouble = cause instanceof Error ? cause.message : String(cause);
      memory = { source, price: before?.price ?? null, askedAt, trouble };
    }
  }

  return async () => {
    const { prices, explorers } = context.config;
    const source = prices.fiat;
    if (source === null) return { fiat: null, trouble: null, explorers };
    if (memory !== null && !isSame(memory.source, source)) memory = null;
    if (memory === null || Math.abs(wall() - memory.askedAt) >= restSeconds) {
      asking ??= ask(source, memory).finally(() => (asking = null));
      await asking;
    }
    return { ...shown(memory, source, wall()), explorers };
  };
}

function shown(memory: Memory | null, { currency }: Source, now: Unix): Pick<Display, 'fiat' | 'trouble'> {
  if (memory === null || memory.source.currency !== currency) return { fiat: null, trouble: null };
  const { price, trouble } = memory;
  if (price === null) return { fiat: null, trouble };
  const age = Math.max(0, now - price.at);
  return { fiat: age > oldestSeconds ? null : { currency, price: price.of, age_seconds: age }, trouble };
}

function isSame(one: Source, other: Source): boolean {
  return one.url === other.url && one.path === other.path && one.currency === other.currency;
}
