import { aroundEach, describe } from 'vitest';
import { findDaemons, namesOfDaemons } from './build.ts';
import { coreVersion, findCore } from './build-core.ts';
import { whileAllLive } from './daemon.ts';

export type BitcoinKind = 'btcd' | 'core';
type Program = 'lnd' | BitcoinKind;

const names: Readonly<Record<Program, string>> = { ...namesOfDaemons, core: `Bitcoin Core ${coreVersion}` };

/** A described group whose name says what it ran over; skipped, with the reason in its name, where the daemons are not built. */
export function onDaemons(name: string, tests: () => void, others: readonly string[] = []): void {
  on(['lnd', 'btcd'], name, tests, others);
}

/** The same over Bitcoin Core alone. */
export function onCore(name: string, tests: () => void, others: readonly string[] = []): void {
  on(['core'], name, tests, others);
}

/** One story on each kind of Bitcoin node. */
export function onEachBitcoin(name: string, tests: (over: BitcoinKind) => void, others: readonly string[] = []): void {
  for (const over of ['btcd', 'core'] as const) on([over], name, () => tests(over), others);
}

/** One story on an lnd over each kind of Bitcoin node. */
export function onEachLnd(name: string, tests: (over: BitcoinKind) => void, others: readonly string[] = []): void {
  onDaemons(name, () => tests('btcd'), others);
  onLndOverCore(name, () => tests('core'), others);
}

/** On an lnd over Bitcoin Core. */
export function onLndOverCore(name: string, tests: () => void, others: readonly string[] = []): void {
  on(['lnd', 'core'], name, tests, others);
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

function absentOf(programs: readonly Program[]): string | null {
  const daemons = findDaemons();
  const core = findCore();
  if ('absent' in daemons && programs.some((one) => one !== 'core')) return daemons.absent;
  return 'absent' in core && programs.includes('core') ? core.absent : null;
}
