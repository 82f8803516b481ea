import { aroundEach, describe } from 'vitest';
import { findDaemons, namesOfDaemons } from './build.ts';
import { coreVersion, findCore } from './build-core.ts';
import { whileAllLive } from './daemon.ts';
import { evmNames, type EvmKind } from './evm-chain.ts';
import { findGeth } from './geth.ts';

export type BitcoinKind = 'btcd' | 'core';
type Program = 'lnd' | BitcoinKind | EvmKind;

/** What a story with chains of both kinds runs over. */
export interface Chains {
  readonly bitcoin: BitcoinKind;
  readonly evm: EvmKind;
}

/** Stories of several minutes, which not every run affords. */
const longOnes = process.env['SLUICE_REGTEST_LONG'] === '1';

const names: Readonly<Record<Program, string>> = {
  ...namesOfDaemons,
  ...evmNames,
  core: `Bitcoin Core ${coreVersion}`,
};

/**
 * A described group whose name says what it ran over; skipped, with the reason in its name, where the daemons are not
 * built.
 */
export function onDaemons(name: string, tests: () => void, others: readonly string[] = []): void {
  on(['lnd', 'btcd'], name, tests, others);
}

/** The same over Bitcoin Core alone. */
export function onCore(name: string, tests: () => void, others: readonly string[] = []): void {
  on(['core'], name, tests, others);
}

/** One story on each kind of Bitcoin node; a short run is spared btcd where Bitcoin Core is built. */
export function onEachBitcoin(name: string, tests: (over: BitcoinKind) => void, others: readonly string[] = []): void {
  if (!skippedForCore(['core'], name, () => tests('btcd'))) on(['btcd'], name, () => tests('btcd'), others);
  on(['core'], name, () => tests('core'), others);
}

/** One story on an lnd over each kind of Bitcoin node. */
export function onEachLnd(name: string, tests: (over: BitcoinKind) => void, others: readonly string[] = []): void {
  onDaemons(name, () => tests('btcd'), others);
  onLndOverCore(name, () => tests('core'), others);
}

/** How much of a story with chains of both kinds a short run tells. */
export interface Telling {
  readonly lnd?: boolean;
  /** Over Bitcoin Core beside geth where both are built, over btcd beside anvil whatever is built, or not at all. */
  readonly short?: 'core' | 'btcd' | 'none';
}

/**
 * One story on btcd beside anvil, and on Bitcoin Core beside geth: a machine without Core is spared the second run, and
 * a short run tells it over one of both.
 */
export function onEachPair(
  name: string,
  tests: (over: Chains) => void,
  { lnd = false, short = 'core' }: Telling = {},
): void {
  const pairs: readonly Chains[] = [
    { bitcoin: 'btcd', evm: 'anvil' },
    { bitcoin: 'core', evm: 'geth' },
  ];
  for (const over of pairs) {
    const programs: readonly Program[] = [...(lnd ? (['lnd'] as const) : []), over.bitcoin, over.evm];
    const isSpared = short === 'none' || (short === 'btcd' && over.bitcoin === 'core');
    if (isSpared && skippedAsLong(name, () => tests(over))) continue;
    const isToldByCore = short === 'core' && over.bitcoin === 'btcd';
    if (isToldByCore && skippedForCore(['core', 'geth'], name, () => tests(over))) continue;
    on(programs, name, () => tests(over), []);
  }
}

/** One story on each kind of EVM chain. */
export function onEachEvm(name: string, tests: (over: EvmKind) => void): void {
  for (const over of ['anvil', 'geth'] as const) on([over], name, () => tests(over), []);
}

/** A story of several minutes on geth, beside a btcd. */
export function onGeth(name: string, tests: () => void, others: readonly string[] = []): void {
  if (!skippedAsLong(name, tests)) on(['btcd', 'geth'], name, tests, others);
}

/** On an lnd over Bitcoin Core. */
export function onLndOverCore(name: string, tests: () => void, others: readonly string[] = []): void {
  on(['lnd', 'core'], name, tests, others);
}

/** Whether this run is none for stories of minutes; says then in a skipped group how they run. */
function skippedAsLong(name: string, tests: () => void): boolean {
  if (longOnes) return false;
  describe.skip(`${name} (not run: it takes minutes, and runs with "core" or by the name of its file)`, tests);
  return true;
}

/** Whether a short run tells this story over others that are built: says then in a skipped group how the rest runs. */
function skippedForCore(others: readonly Program[], name: string, tests: () => void): boolean {
  if (longOnes || absentOf(others) !== null) return false;
  const over = others.map((one) => names[one]).join(' and ');
  describe.skip(`${name} (not run: a short run tells it over ${over}; over btcd by the name of its file)`, tests);
  return true;
}

function on(programs: readonly Program[], name: string, tests: () => void, others: readonly string[]): void {
  const absent = absentOf(programs);
  if (absent !== null) {
    describe.skip(`${name} (not run: ${absent})`, tests);
    return;
  }
  describe(`${name} (over ${[...programs.map((one) => names[one]), ...others].join(', ')})`, () => {
    aroundEach(whileAllLive);
    tests();
  });
}

/** Anvil comes with the packages. */
function absentOf(programs: readonly Program[]): string | null {
  const [daemons, core, geth] = [findDaemons(), findCore(), findGeth()];
  if ('absent' in daemons && programs.some((one) => one === 'lnd' || one === 'btcd')) return daemons.absent;
  if ('absent' in core && programs.includes('core')) return core.absent;
  return 'absent' in geth && programs.includes('geth') ? geth.absent : null;
}
