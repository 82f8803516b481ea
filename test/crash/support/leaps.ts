import { wireDirections, type Time } from './directions.ts';
import type { Scenario } from './scenario.ts';

/** Swaps whose time passes in one leap of the clock. */
export interface Leap {
  /** Unix seconds: the last of their ends. */
  readonly end: number;
  readonly scenarios: readonly Scenario[];
}

const halfADay = 12 * 3_600;

/**
 * One leap for all, but for clients who help themselves: the node watches for each a day after its time, so nobody
 * waits that long for a later one.
 */
export function leapsOf(time: Time, scenarios: readonly Scenario[], clock: number): readonly Leap[] {
  const endOf = (scenario: Scenario): number =>
    time === 'windows' ? clock : Math.max(clock, wireDirections[scenario.direction].ends[time](scenario, clock));
  const byEnd = scenarios
    .map((scenario) => ({ end: endOf(scenario), scenario }))
    .sort((one, other) => one.end - other.end);
  const longest = time === 'client' ? halfADay : Infinity;
  const leaps: { from: number; end: number; scenarios: Scenario[] }[] = [];
  for (const { end, scenario } of byEnd) {
    const last = leaps.at(-1);
    if (last !== undefined && end - last.from < longest) {
      last.end = end;
      last.scenarios.push(scenario);
    } else leaps.push({ from: end, end, scenarios: [scenario] });
  }
  return leaps;
}
