import { refuse, type Refusal } from '../domain/errors.ts';

/** Settings as JSON holds them, before they are judged. */
export type Tree = { [name: string]: unknown };

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `above` over `below`: objects are merged, anything else is replaced. */
export function overlay(below: unknown, above: unknown): unknown {
  if (!isTree(below) || !isTree(above)) return above;
  const merged = { ...below };
  for (const [name, value] of Object.entries(above))
    if (value !== undefined) merged[name] = overlay(merged[name], value);
  return merged;
}

/** Deeper than any setting lies; what reads settings goes down by itself, and must not go down for ever. */
const mostLevels = 8;

/** What no setting can look like, refused before anything walks through it. */
export function strangeIn(given: unknown, layer: string): Refusal | null {
  let level: readonly unknown[] = [given];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > mostLevels)
      return refuse(
        'invalid',
        `The settings are nested more than ${mostLevels} levels deep in ${layer}, and none lies there: take out ` +
          'what is no setting.',
      );
    const trees = level.filter(isTree);
    // Assigned to an object it is no entry of it.
    if (trees.some((tree) => Object.hasOwn(tree, '__proto__')))
      return refuse('invalid', `Unknown key "__proto__" in ${layer}: take out what is no setting.`);
    level = level.flatMap((one) => (Array.isArray(one) || isTree(one) ? Object.values(one) : []));
  }
  return null;
}
