import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exposition, type Family } from '../../../engine/service/metrics/exposition.ts';
import { parseExposition } from '../../support/exposition.ts';

const labelName = fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/);
const text = fc.oneof(
  fc.string(),
  fc.constantFrom('a"b', 'a\\b', 'a\nb', '\\n', '', 'ä€'),
  fc.string({ unit: 'binary' }),
);

const family: fc.Arbitrary<Family> = fc.record({
  name: fc.stringMatching(/^sluice_[a-z_]{1,12}$/),
  help: text.filter((one) => !/[\r\u2028\u2029]/.test(one)),
  type: fc.constantFrom('gauge', 'counter'),
  labels: fc.constant([]),
  samples: fc.uniqueArray(
    fc.record({
      labels: fc.dictionary(
        labelName,
        text.filter((one) => !/[\r\u2028\u2029]/.test(one)),
      ),
      value: fc.double(),
    }),
    { selector: ({ labels }) => JSON.stringify(Object.entries(labels).sort()), minLength: 1, maxLength: 5 },
  ),
});

test('whatever is told is read back as it was told', () => {
  fc.assert(
    fc.property(fc.uniqueArray(family, { selector: ({ name }) => name, maxLength: 5 }), (families) => {
      const read = parseExposition(exposition(families));
      expect(read).toEqual(
        Object.fromEntries(
          families.map(({ name, help, type, samples }) => [
            name,
            { help, type, samples: samples.map(({ labels, value }) => ({ labels: { ...labels }, value: value + 0 })) },
          ]),
        ),
      );
    }),
  );
});

test('in the very form of the format', () => {
  expect(
    exposition([
      {
        name: 'sluice_alerts_total',
        help: 'Lines \\ and\nends',
        type: 'counter',
        labels: ['alert'],
        samples: [
          { labels: { alert: 'say "no"\n\\' }, value: 3 },
          { labels: {}, value: Infinity },
        ],
      },
      { name: 'sluice_nothing', help: 'x', type: 'gauge', labels: [], samples: [] },
    ]),
  ).toBe(
    '# HELP sluice_alerts_total Lines \\\\ and\\nends\n# TYPE sluice_alerts_total counter\n' +
      'sluice_alerts_total{alert="say \\"no\\"\\n\\\\"} 3\nsluice_alerts_total +Inf\n',
  );
});
