import { expect, test } from 'vitest';
import { checkedNetworks } from '../../../renderer/pages/settings/checks.ts';

test('amounts in the words of the doctor are grouped; hosts, heights and settings stay as they are', () => {
  const sentences = [
    'arkade takes coins of 1000 sats to 1000000000 sats.',
    '900000 sats can be sent and 1234567 received',
    '127.0.0.1:33989 answers at height 859201, terms.minSats is 25000: no swap fits.',
  ];
  const rows = sentences.map((sentence, at) => ({
    network: `n${at}`,
    check: 'liquidity',
    result: 'pass' as const,
    sentence,
  }));
  expect(checkedNetworks({ rows }).flatMap((one) => one.sentences)).toEqual([
    'arkade takes coins of 1,000 sats to 1,000,000,000 sats.',
    '900,000 sats can be sent and 1,234,567 received',
    sentences[2],
  ]);
});
