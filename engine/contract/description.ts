import { refuse } from '../domain/errors.ts';
import { field, wrong, type Field } from './field.ts';

const mostDescriptionBytes = 639;

/** The length of a text in UTF-8 bytes. */
function utf8Length(given: string): number {
  let bytes = 0;
  for (const character of given) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** The text of a hold invoice: at most 639 UTF-8 bytes, what BOLT11 can carry. */
export function descriptionField(name: string): Field<string, string> {
  const what = `text of at most ${mostDescriptionBytes} bytes for the payer to read`;
  const info = { name, hint: what };
  return field(info, { type: 'string', description: what }, (given) => {
    if (typeof given !== 'string') return wrong(info, given);
    // Half of a pair has no UTF-8: lnd refuses the whole call as if the connection had failed.
    if (/\p{Surrogate}/u.test(given)) return wrong(info, given, 'it is not valid Unicode');
    const bytes = utf8Length(given);
    if (bytes <= mostDescriptionBytes) return given;
    return refuse(
      'invalid',
      `${name} has ${bytes} bytes of UTF-8 and the limit is ${mostDescriptionBytes}: shorten it.`,
    );
  });
}
