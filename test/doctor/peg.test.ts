import { expect, test } from 'vitest';
import { judgePeg } from '../../engine/doctor/judge/peg.ts';

const rowsOf = (peg: Parameters<typeof judgePeg>[0], isReal = true) =>
  judgePeg(peg, { isReal }).map(({ network, check, result, sentence }) => `${network} ${check} ${result}: ${sentence}`);
const prices = { chainId: '137', is: 'read', bitcoin: 100_000, boundBps: 100 } as const;

test('a peg that nobody watches is told, as a warning where money is real', () => {
  const off = { chainId: '137', is: 'off', lacks: 'source' } as const;
  expect([rowsOf(off)[0], rowsOf(off, false)[0], rowsOf({ ...off, lacks: 'pool' })[0]]).toEqual([
    expect.stringMatching(/^evm:137 peg warn: .* prices\.source is not set/),
    expect.stringMatching(/^evm:137 peg pass: /),
    expect.stringMatching(/evm\.137\.peg is not set/),
  ]);
});

test('one that is watched is told with its figures, and what is silent with its reason', () => {
  expect([
    rowsOf({ ...prices, pegged: 99_500 })[0],
    rowsOf({ ...prices, pegged: 97_000 })[0],
    rowsOf({ chainId: '137', is: 'silent', words: 'the pool remembers less than half an hour' })[0],
  ]).toEqual([
    expect.stringMatching(/pass: .*0\.50 % apart\.$/),
    expect.stringMatching(/fail: .*3\.00 % apart: beyond 1\.00 %/),
    expect.stringMatching(
      /fail: The price of the pegged token of chain 137 is not known, .* less than half an hour\.$/,
    ),
  ]);
});
