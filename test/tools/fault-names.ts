const skipped = /\b(?:test|it|describe)\.(?:skip|todo|fails)\s*\(\s*(['"`])(?:(?!\1).)*\1/g;

/** The faults that the tests in a file are about: names that begin with `fault 22:`, unless skipped or left to do. */
export function faultNumbers(source: string): number[] {
  const names = source.replace(skipped, '').matchAll(/['"`]fault (\d+): /g);
  return [...new Set([...names].map((match) => Number(match[1])))].sort((a, b) => a - b);
}
