/** Values of which each run has its own: any of the same kind will do. */
const kinds: readonly [name: string, is: (value: unknown) => boolean][] = [
  ['swap id', (value) => typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)],
  ['date', (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)],
  ['32 bytes behind 0x', (value) => typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value)],
  ['32 bytes', (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)],
  ['compressed key', (value) => typeof value === 'string' && /^0[23][0-9a-f]{64}$/.test(value)],
  ['version', (value) => typeof value === 'string' && /^\d+\.\d+\.\d+$/.test(value)],
  ['unix time', (value) => typeof value === 'number' && value > 1_500_000_000 && value < 4_000_000_000],
];

/** The name that says that there is more than is shown, of an object or at the end of a list. */
const more = '...';

/**
 * Where a reply is not what the guide shows: a field that is missing on either side, another type, another value. A
 * text that is shown with `...` in it stands for any that begins and ends the same.
 */
export function differences(shown: unknown, real: unknown, at = 'the reply'): string[] {
  if (Array.isArray(shown))
    return Array.isArray(real) ? inLists(shown, real, at) : [`${at} is shown as a list and is ${JSON.stringify(real)}`];
  if (isObject(shown))
    return isObject(real) ? inObjects(shown, real, at) : [`${at} is shown as an object and is ${JSON.stringify(real)}`];
  if (at.endsWith('_locktime') && isHeight(shown) && isHeight(real)) return [];
  return alike(shown, real) ? [] : [`${at} is shown as ${JSON.stringify(shown)} and is ${JSON.stringify(real)}`];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function inObjects(
  shown: Readonly<Record<string, unknown>>,
  real: Readonly<Record<string, unknown>>,
  at: string,
): string[] {
  const names = Object.keys(shown).filter((name) => name !== more);
  const missing = names.filter((name) => !(name in real)).map((name) => `${at} has no ${name}, which is shown`);
  const hidden =
    more in shown
      ? []
      : Object.keys(real)
          .filter((name) => !(name in shown))
          .map((name) => `${at} has ${name}, which is not shown`);
  return [
    ...missing,
    ...hidden,
    ...names.filter((name) => name in real).flatMap((name) => differences(shown[name], real[name], `${at}.${name}`)),
  ];
}

function inLists(shown: readonly unknown[], real: readonly unknown[], at: string): string[] {
  const open = shown.at(-1) === more;
  const items = open ? shown.slice(0, -1) : shown;
  if (open ? real.length < items.length : real.length !== items.length)
    return [`${at} is shown with ${items.length} items and has ${real.length}`];
  return items.flatMap((item, index) => differences(item, real[index], `${at}[${index}]`));
}

function alike(shown: unknown, real: unknown): boolean {
  if (shown === real) return true;
  if (typeof shown !== typeof real) return false;
  const kind = kinds.find(([, is]) => is(shown));
  if (kind !== undefined) return kind[1](real);
  if (typeof shown !== 'string' || typeof real !== 'string') return false;
  const [before = '', after, ...others] = shown.split('...');
  return (
    after !== undefined &&
    others.length === 0 &&
    real.length > before.length + after.length &&
    real.startsWith(before) &&
    real.endsWith(after)
  );
}

/** A lock's end below this is a height, and each run has its own. */
function isHeight(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && value < 500_000_000;
}
