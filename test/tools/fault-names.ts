const skipped = /\b(?:test|it|describe)\.(?:skip|todo|fails)\s*\(\s*(['"`])(?:(?!\1).)*\1/g;

export interface FaultName {
  readonly number: number;
  /** The network that the test is about; null where its name says none. */
  readonly network: string | null;
}

/**
 * The faults that the tests in a file are about: names that begin with `fault 22: ` or, for one network, `fault 22,
 * evm: `, unless skipped or left to do.
 */
export function faultNames(source: string): FaultName[] {
  const names = new Map<string, FaultName>();
  for (const [, number, network = null] of source.replace(skipped, '').matchAll(/['"`]fault (\d+)(?:, ([a-z]+))?: /g))
    names.set(`${number} ${network}`, { number: Number(number), network });
  return [...names.values()].sort((a, b) => a.number - b.number || (a.network ?? '').localeCompare(b.network ?? ''));
}
