import type { RouteName } from '../engine/contract/routes.ts';

/** After a no, milliseconds. */
const restMs = 30_000;

/**
 * Questions that only a call of the page raises, and a script in it can call without end: one at a time, and none for a
 * while after a no. What is not asked is not allowed.
 */
export function createQuestions(
  ask: (route: RouteName) => Promise<boolean>,
  now: () => number = () => performance.now(),
): (route: RouteName) => Promise<boolean> {
  let open = false;
  let restUntil = -Infinity;
  return async (route) => {
    if (open || now() < restUntil) return false;
    open = true;
    try {
      const isYes = await ask(route);
      if (!isYes) restUntil = now() + restMs;
      return isYes;
    } finally {
      open = false;
    }
  };
}
