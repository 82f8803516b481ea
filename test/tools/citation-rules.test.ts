import { expect, test } from 'vitest';
import { factNumbers, wrongCitations } from './citation-rules.ts';

const citable = {
  facts: new Map([
    ['arkade', factNumbers('# Title\n\n1. One\n   goes on\n2. Two\n')],
    ['faults', factNumbers('45. Clock\n60. Clocks\n')],
  ]),
  decisions: ['The last look is pure', "One clock for both legs, and it is the chain's"],
};

test('what can be followed in the repository is no complaint, also over the end of a line', () => {
  const source = `
    /**
     * A coin of the other party (facts/arkade.md 1 and 2; DECISIONS.md, "One clock
     * for both legs"). Clocks: facts/faults.md 45, 60; see README.md and engine/facts/arkade.md
     * 2.
     */
    it('does as interop.md says', () => {});
  `;
  expect(wrongCitations(source, citable)).toEqual([]);
});

test('a number, a heading or a document that is not there is told with its line', () => {
  const source = [
    '// facts/arkade.md 1 to 3',
    '// interop.md 1.3',
    '// faults.md 45',
    '// DECISIONS.md, "Nothing of the kind"',
    '// one coin (design',
    '// decision 26), as the spec wants',
    '// facts/clients.md 1',
  ].join('\n');
  expect(wrongCitations(source, citable)).toEqual([
    { line: 1, sentence: 'facts/arkade.md has no fact 3' },
    { line: 2, sentence: '"interop.md" is nothing that this repository holds' },
    { line: 3, sentence: '"faults.md" is nothing that this repository holds' },
    { line: 4, sentence: 'DECISIONS.md has no heading that begins with "Nothing of the kind"' },
    { line: 5, sentence: '"design decision" is nothing that this repository holds' },
    { line: 6, sentence: '"the spec" is nothing that this repository holds' },
    { line: 7, sentence: 'there is no facts/clients.md' },
  ]);
});
