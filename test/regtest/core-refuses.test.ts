import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { coreRejections } from '../support/core-rejections.ts';
import { coreVersion, findCore } from './kit/build-core.ts';

const core = findCore();
const name = `what Bitcoin Core ${coreVersion} says of a transaction that it refuses`;

if ('absent' in core)
  describe.skip(`${name} (not run: ${core.absent})`, () => void test('wants its source', () => undefined));
else
  describe(name, () => {
    test('is in our table, word for word and nothing else', () => {
      const policy = readdirSync(join(core.source, 'policy')).filter((file) => file.endsWith('.cpp'));
      const files = [
        'validation.cpp',
        'consensus/tx_check.cpp',
        'consensus/tx_verify.cpp',
        ...policy.map((file) => join('policy', file)),
      ];
      const reasons = files.flatMap((file) =>
        reasonsIn(readFileSync(join(core.source, file), 'utf8'), file.startsWith('policy')),
      );
      expect([...new Set(reasons)].toSorted()).toEqual(Object.keys(coreRejections).toSorted());
    });
  });

/**
 * As `sendrawtransaction` puts them: the reason of a result about one transaction, of a package that replaces, and of
 * what is not standard.
 */
function reasonsIn(source: string, isPolicy: boolean): string[] {
  const about = [...source.matchAll(/Invalid\(\s*TxValidationResult::\w+,\s*(?:strprintf\()?\s*"([^"]+)"/g)];
  const packages = [...source.matchAll(/"(package RBF failed: [^"]+)"/g)];
  const standard = isPolicy ? [...source.matchAll(/\breason = "([^"]+)"/g)] : [];
  return [...about, ...packages, ...standard].flatMap(([, text = '']) => worded(text));
}

/** What stands in for the script's own error, and for the two ways in which a sibling may be evicted. */
function worded(text: string): string[] {
  if (text.endsWith('(%s)')) return [text.replace('(%s)', '(…)')];
  return text.endsWith('%s') ? [text.slice(0, -2), `${text.slice(0, -2)} (including sibling eviction)`] : [text];
}
