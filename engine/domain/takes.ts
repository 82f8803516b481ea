/** What a schema has against a value, as far as a sentence needs it. */
export interface Fault {
  readonly code?: string | undefined;
  readonly expected?: string | undefined;
  readonly origin?: string | undefined;
  readonly minimum?: number | bigint | undefined;
  readonly maximum?: number | bigint | undefined;
  readonly values?: readonly unknown[] | undefined;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'nothing',
};

const countables: Readonly<Record<string, string>> = { string: ' characters', array: ' items', set: ' items' };

/** What would have been right there, to stand after "send" or "it takes": a schema's own words are not for people. */
export function takes({ code, expected = '', origin = '', minimum, maximum, values = [] }: Fault): string {
  const things = countables[origin] ?? '';
  switch (code) {
    case 'invalid_type':
      return kinds[expected] ?? 'another kind of value';
    case 'too_small':
      return `at least ${minimum}${things}`;
    case 'too_big':
      return `at most ${maximum}${things}`;
    case 'invalid_value':
      return values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`;
    case 'unrecognized_keys':
      return 'no other names';
    default:
      return 'a value of the form that its documentation names';
  }
}
