import { setTimeout as pause } from 'node:timers/promises';
import { wireDirections } from '../../crash/support/directions.ts';
import type { Stage, Story } from '../../crash/support/scenario.ts';
import { Refused } from '../../stories/client/http.ts';
import { closed } from './doors.ts';
import { count, type Kind } from './kind.ts';

/** At once, of one kind; each comes from an address of its own. */
const atOnce = 3;

/**
 * Clients who play the stories of that name, in whatever direction. Those that wait for a locktime are of other tests.
 */
export function players(names: RegExp, address: string): Kind {
  const stories = Object.entries(wireDirections).flatMap(([direction, { stories: all }]) =>
    Object.entries(all).flatMap(([name, story]): [string, Story][] =>
      names.test(name) ? [[`${direction}, ${name}`, story]] : [],
    ),
  );
  return async (arena, tally, isOver) => {
    const playing = Array.from({ length: atOnce }, async (_, place) => {
      const stage = await arena.asClient(`${address}${place}`);
      while (!isOver()) {
        const [name, story] = arena.chance.pick(stories);
        if (await played(story, stage)) count(tally, name);
        await pause(arena.chance.between(500, 3_000));
      }
    });
    await Promise.all(playing);
  };
}

/** Whether the story was played to its end; else nobody was let in any more. */
export async function played(story: Story, stage: Stage): Promise<boolean> {
  try {
    await story(stage);
    return true;
  } catch (cause) {
    if (cause instanceof Refused && cause.status === closed) return false;
    throw cause;
  }
}
