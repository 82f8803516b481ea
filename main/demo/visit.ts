import { createHourglass } from './hourglass.ts';
import { inOrder, type Lines } from './lines.ts';
import { table } from './table.ts';
import type { Balance, Stop, Tour } from './tour.ts';

/** What every stop has of the node, and what is the stop's own. */
export interface Visit {
  readonly node: Tour['node'];
  readonly newClient: () => Promise<Tour['client']>;
  /** Moves the clock of the sandbox, if it is not there yet. */
  readonly moveTo: (time: number) => Promise<void>;
  readonly print: (line: string) => void;
}

/**
 * All stops side by side, told one after the other, and what went in and came out of each; true only when every one
 * ended as its name says.
 */
export async function visit(stops: readonly Stop[], { node, newClient, moveTo, print }: Visit): Promise<boolean> {
  const hourglass = createHourglass(stops.length, moveTo);
  const lines = inOrder(stops.length, print);

  async function one(stop: Stop, { say, end }: Lines): Promise<{ name: string; balance: Balance } | null> {
    const begun = performance.now();
    say(`\n${stop.name}`);
    try {
      const balance = await stop.run({ node, client: await newClient(), say, past: hourglass.past });
      say(`  done in ${((performance.now() - begun) / 1_000).toFixed(2)} s`);
      return { name: stop.name, balance };
    } catch (error) {
      say(`  failed: ${(error as Error).message}`);
      return null;
    } finally {
      hourglass.over();
      end();
    }
  }

  const ended = await Promise.all(stops.map((stop, at) => one(stop, lines[at] as Lines)));
  const rows = ended.filter((row) => row !== null);
  const failures = stops.length - rows.length;
  print(`\n${table(rows).join('\n')}`);
  print(
    failures === 0
      ? `\nAll ${stops.length} ended as they should: what went in came out, or came back.`
      : `\n${failures} of ${stops.length} did not end as they should.`,
  );
  return failures === 0;
}
