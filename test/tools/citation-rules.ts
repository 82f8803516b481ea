/** What the repository has to be cited: the numbers of each facts file, the headings of DECISIONS.md. */
export interface Citable {
  readonly facts: ReadonlyMap<string, ReadonlySet<number>>;
  readonly decisions: readonly string[];
}

export interface WrongCitation {
  readonly line: number;
  readonly sentence: string;
}

/** Names of tests are not looked at: they stay as they were given. */
const testName = /\b(?:it|test|describe)(?:\.\w+)*(?:\([^()]*\))?\(\s*(['"`])(?:(?!\1).)*\1/g;
/** A comment goes on behind its line's own marks. */
const lineBreak = /\n[ \t]*(?:\*|\/\/)?[ \t]*/g;
const fact = /\bfacts\/([\w-]+)\.md(?:\s+(\d+(?:(?:,|\s+and|\s+to)\s+\d+)*))?/g;
const decision = /DECISIONS\.md,\s+"([^"]+)"/g;
/** Documents that lie elsewhere, and those of facts without their folder. A link names its path: a test follows it. */
const elsewhere =
  /(?<![/(])\b(?:arkade|clients|timelocks|faults|interop|spec|design|desktop)\.md\b|\bdesign\s+(?:decisions?|section)\b|\(spec[,)]|\bthe\s+spec\b/gi;

/** The numbers of the facts in a facts file: a fact begins its line with its number. */
export function factNumbers(text: string): Set<number> {
  return new Set([...text.matchAll(/^(\d+)\. /gm)].map((match) => Number(match[1])));
}

/** The citations in a text that nobody could follow in this repository. */
export function wrongCitations(text: string, { facts, decisions }: Citable): WrongCitation[] {
  const blank = (part: string): string => ' '.repeat(part.length);
  const joined = text.replace(testName, (name) => name.replace(/[^\n]/g, ' ')).replace(lineBreak, blank);
  const wrong: WrongCitation[] = [];
  function tell(match: RegExpExecArray, sentence: string): void {
    wrong.push({ line: text.slice(0, match.index).split('\n').length, sentence });
  }
  for (const match of joined.matchAll(fact)) {
    const [, file = '', numbers = ''] = match;
    const listed = facts.get(file);
    if (listed === undefined) tell(match, `there is no facts/${file}.md`);
    else
      for (const number of numbers.match(/\d+/g) ?? [])
        if (!listed.has(Number(number))) tell(match, `facts/${file}.md has no fact ${number}`);
  }
  for (const match of joined.matchAll(decision)) {
    const heading = (match[1] ?? '').replace(/\s+/g, ' ');
    if (!decisions.some((each) => each.startsWith(heading)))
      tell(match, `DECISIONS.md has no heading that begins with "${heading}"`);
  }
  for (const match of joined.matchAll(elsewhere))
    tell(match, `"${match[0].replace(/\s+/g, ' ')}" is nothing that this repository holds`);
  return wrong.sort((a, b) => a.line - b.line);
}
