import { expect } from 'vitest';
import type { DirectionName, TakerDirection } from '../../../engine/domain/chain.ts';

/* Where the stories of each direction are: a new one does not compile without a line, nor pass without a story. */

const providers: Readonly<Record<DirectionName, 'in-process' | 'in-process-bitcoin' | 'in-process-evm'>> = {
  'arkade-lightning': 'in-process',
  'lightning-arkade': 'in-process',
  'arkade-evm': 'in-process-evm',
  'evm-arkade': 'in-process-evm',
  'evm-lightning': 'in-process-evm',
  'lightning-evm': 'in-process-evm',
  'arkade-bitcoin': 'in-process-bitcoin',
  'bitcoin-arkade': 'in-process-bitcoin',
  'bitcoin-evm': 'in-process-bitcoin',
  'bitcoin-lightning': 'in-process-bitcoin',
  'evm-bitcoin': 'in-process-bitcoin',
  'lightning-bitcoin': 'in-process-bitcoin',
};

const clients: Readonly<Record<TakerDirection, 'the-taker' | 'the-taker-on-chains'>> = {
  'arkade-lightning': 'the-taker',
  'lightning-arkade': 'the-taker',
  'arkade-bitcoin': 'the-taker-on-chains',
  'arkade-evm': 'the-taker-on-chains',
  'bitcoin-arkade': 'the-taker-on-chains',
  'bitcoin-evm': 'the-taker-on-chains',
  'bitcoin-lightning': 'the-taker-on-chains',
  'evm-arkade': 'the-taker-on-chains',
  'evm-bitcoin': 'the-taker-on-chains',
  'evm-lightning': 'the-taker-on-chains',
  'lightning-bitcoin': 'the-taker-on-chains',
  'lightning-evm': 'the-taker-on-chains',
};

/** Throws where a file has no story of one of its directions, or one of another's. */
export function coversItsOwn<T extends string>(
  lines: Readonly<Record<string, T>>,
  file: NoInfer<T>,
  stories: readonly { readonly direction: string }[],
): void {
  const own = Object.keys(lines).filter((direction) => lines[direction] === file);
  expect([...new Set(stories.map(({ direction }) => direction))].toSorted(), file).toEqual(own.toSorted());
}

export const inEachFile = { providers, clients };
