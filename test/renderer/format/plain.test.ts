import { expect, test } from 'vitest';
import { plainText } from '../../../renderer/format/plain.ts';

test('errors of sockets, times as machines count them and names of fields are no words for people', () => {
  expect(plainText('Arkade does not answer (socket hang up).')).toBe('Arkade does not answer (no connection).');
  expect(plainText('connect ECONNREFUSED 127.0.0.1:7071: try again.')).toBe('no connection try again.');
  expect(plainText('median time past 1795380060. target_address is wrong')).toMatch(
    /^median time past Sun 22 Nov, \d\d:\d\d\. target address is wrong$/,
  );
});

test('amounts, hashes and ordinary sentences stay as they are', () => {
  const plain = 'A coin of 1,795,380,060 sats (17953800601, ab1795380060cd) waits for lower fees (ceilings.claimBps).';
  expect(plainText(plain)).toBe(plain);
});
