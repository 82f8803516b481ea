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
