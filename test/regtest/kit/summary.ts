import { readFileSync } from 'node:fs';
import { z } from 'zod';

const results = z.object({
  testResults: z.array(
    z.object({
      assertionResults: z.array(
        z.object({ ancestorTitles: z.array(z.string()), title: z.string(), status: z.string() }),
      ),
    }),
  ),
});

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/** A port suite is a group called "the X port: IMPLEMENTATION". */
const portSuite = /^the (\w+) port: (.+?)(?: \(not run: .+\))?$/;
/** A story says in its name what it ran over. */
const story = /^(.+) \(over (.+)\)$/;
/** What a skipped group says of the reason. */
const reason = /^(.+) \((not run: .+)\)$/;

/**
 * Lines for a person, from what the json reporter of vitest wrote: the port suites and the stories by what they ran
 * over, and what was skipped.
 */
export function summaryOf(file: string): string[] {
  const ports = new Map<string, Map<string, Tally>>();
  const stories = new Map<string, Map<string, Tally>>();
  const skipped = new Map<string, number>();
  for (const { assertionResults } of results.parse(JSON.parse(readFileSync(file, 'utf8'))).testResults) {
    for (const { ancestorTitles, title, status } of assertionResults) {
      const ran = status === 'passed' || status === 'failed';
      const [, port, implementation] =
        ancestorTitles.map((group) => portSuite.exec(group)).find((match) => match !== null) ?? [];
      const [, name, daemons] = story.exec(ancestorTitles[0] ?? '') ?? [];
      if (port !== undefined && implementation !== undefined)
        count(ports, port, implementation, ran ? status : 'skipped');
      else if (name !== undefined && daemons !== undefined) count(stories, daemons, name, ran ? status : 'skipped');
      if (!ran) {
        const name =
          ancestorTitles.find((one) => reason.test(one)) ??
          [...ancestorTitles, title].filter((one) => one !== '').join(': ');
        skipped.set(name, (skipped.get(name) ?? 0) + 1);
      }
    }
  }
  const lines = [
    ...[...ports].flatMap(([port, tallies]) => [`the ${port} port ran over:`, ...wordedAll(tallies)]),
    ...[...stories].flatMap(([daemons, tallies]) => [`stories on ${daemons}:`, ...wordedAll(tallies)]),
  ];
  return skipped.size === 0
    ? lines
    : [...lines, 'skipped:', ...[...skipped].map(([name, count]) => `  ${count} of ${name.replace(reason, '$1, $2')}`)];
}

function count(groups: Map<string, Map<string, Tally>>, group: string, name: string, how: keyof Tally): void {
  const tallies = groups.get(group) ?? new Map<string, Tally>();
  const tally = tallies.get(name) ?? { passed: 0, failed: 0, skipped: 0 };
  tally[how] += 1;
  groups.set(group, tallies.set(name, tally));
}

function wordedAll(tallies: ReadonlyMap<string, Tally>): string[] {
  return [...tallies].map(([name, tally]) => `  ${name}: ${worded(tally)}`);
}

function worded({ passed, failed, skipped }: Tally): string {
  if (passed + failed === 0) return `not run (${skipped} tests skipped)`;
  return `${passed} passed${failed === 0 ? '' : `, ${failed} failed`}${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}
