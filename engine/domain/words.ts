/**
 * Characters of what a program outside says of one thing: as many as stand in a sentence, a row, an alert or an answer.
 */
const mostWords = 500;

/** Characters at which a pattern looks: some take the square of that, so that a megabyte would take hours. */
export const mostLooked = 2_000;

/**
 * What others say, cut before anything looks at it: they choose how long it is, and a pattern over all of it may hold
 * the whole process (facts/faults.md 234).
 */
export function cutWords(text: string, most = mostWords): string {
  if (text.length <= most) return text;
  // A copy: a slice would hold on to all that it was cut from for as long as it is stored.
  return `${text
    .slice(0, most - 1)
    .split('')
    .join('')}…`;
}
