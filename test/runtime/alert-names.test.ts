import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { alertName, alertNames, severityOf } from '../../engine/runtime/alert-names.ts';

const root = new URL('../../', import.meta.url).pathname;

/** A sentence of each kind with its values in braces, and the file that says it. */
const sayings: Readonly<Record<string, readonly (readonly [file: string, sentence: string])[]>> = {
  'database-unwritable': [
    ['engine/runtime/unsaved.ts', 'The database cannot be written: free disk space at once, or repair the disk'],
  ],
  'rescue-bundle-unwritten': [['engine/rescue/keep.ts', 'The rescue bundle cannot be written to {/a} ({no}): ']],
  'rescue-bundle-damaged': [
    ['engine/rescue/keep.ts', 'The rescue bundle at {/a} was not as it had been written, and is written anew: look'],
  ],
  'rescue-bundle-moved': [
    ['engine/rescue/keep.ts', '{No bundle.} The node moved it to {/a.before}, and wrote the bundle anew.'],
  ],
  'bitcoin-clock': [
    [
      'engine/service/networks/bitcoin.ts',
      '{Too far apart.} New swaps over Bitcoin wait until then, the open ones go on.',
    ],
  ],
  'bitcoin-source-stands-still': [
    ['engine/service/networks/bitcoin.ts', 'The Bitcoin source is at height {5} and the'],
  ],
  'evm-rpcs-silent': [
    ['engine/service/networks/evm.ts', 'Swaps above evm.{137}.agreeAboveSats wait, and no claim counts as final'],
  ],
  'evm-closed': [
    ['engine/service/networks/evm.ts', '{No gas.} New swaps over {chain 137} wait until then, the open ones'],
  ],
  'evm-logs-missing': [
    [
      'engine/runtime/networks/evm/watch-locks.ts',
      'Too few RPCs of {evm:137} that answer keep the logs of blocks before {5}, where a lock of ',
    ],
    [
      'engine/service/reconciliation/shown-secrets.ts',
      'Too few RPCs of {evm:137} that answer keep the logs of blocks before {5}, where locks may lie that the ',
    ],
  ],
  'peg-unread': [
    [
      'engine/service/market/pegs.ts',
      'New swaps over the pegged token of {evm:137} stop: no price of it or of bitcoin',
    ],
  ],
  'peg-apart': [
    ['engine/service/market/pegs.ts', 'New swaps over the pegged token of {evm:137} stop: {0.9 and 1}. What'],
  ],
  'peg-back': [['engine/service/market/pegs.ts', 'New swaps over the pegged token of {evm:137} go on: {1 and 1}.']],
  'coins-not-renewed': [
    [
      'engine/service/wallet/renewal-sentences.ts',
      '{2} coins of {300} sats on Arkade are not renewed: the operator asks',
    ],
  ],
  'exit-delay-raised': [
    ['engine/service/wallet/renewal-sentences.ts', 'The Arkade operator raised its exit delay: {2} coins'],
  ],
  'renewal-dear': [['engine/service/wallet/renewal.ts', 'Renewing {2} coins on Arkade cost {5} sats, more than']],
  'exit-withheld': [
    ['engine/service/exits/exits.ts', 'The Arkade operator does not show how coin {ab:0} of {5} sats gets'],
  ],
  'exit-broken': [
    ['engine/service/exits/jobs.ts', 'The transactions that were saved to bring coin {ab:0} to the chain'],
  ],
  'exit-dear': [
    ['engine/service/exits/jobs.ts', 'Bringing coin {ab:0} of {5} sats to the chain would cost about {6} sats now'],
  ],
  'exit-begun': [
    ['engine/service/exits/unilateral.ts', 'Coin {ab:0} of {5} sats is brought to the chain now: {it is gone}.'],
  ],
  'books-differ': [
    ['engine/service/books/sentences.ts', 'The books and {arkade} do not agree: the account {wallet} has'],
    ['engine/service/books/sentences.ts', 'The books of {arkade} do not agree with themselves: the account {gas}'],
  ],
  'swap-stopped': [['engine/runtime/troubles.ts', 'An internal error stopped this swap: look at the log']],
  'swap-unreadable': [
    ['engine/runtime/troubles.ts', 'This swap cannot be read from the database and nothing is done for it'],
    ['engine/runtime/troubles.ts', 'Something that is owed to this swap cannot be read from the database'],
  ],
  'act-given-up': [['engine/runtime/runtime.ts', '"{vhtlc.fund}" was given up: {no}']],
  'act-repeated': [['engine/runtime/runtime.ts', '"{vhtlc.fund}" is tried again: {no}']],
};

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
    .filter((name) => !name.startsWith('engine/sandbox'));
}

/** The text between the values of a sentence, without where the source breaks its lines. */
function written(file: string): string {
  return readFileSync(join(root, file), 'utf8').replaceAll(/['"`] \+\s+['"`]/g, '');
}

describe('every alert has a name', () => {
  test('by which its sentence is known', () => {
    const wrong = Object.entries(sayings).flatMap(([name, all]) =>
      all.filter(([, saying]) => alertName(null, saying.replaceAll(/[{}]/g, '')) !== name).map(([, saying]) => saying),
    );
    expect(wrong).toEqual([]);
    expect(alertName('id', 'The operator refused our claim: no.')).toBe('swap-flagged');
    expect(alertName(null, 'Nobody thought of this.')).toBe('other');
  });

  test('and each name is said somewhere, in the words by which it is known', () => {
    expect([...Object.keys(sayings), 'swap-flagged', 'other']).toEqual(alertNames);
    const lost = Object.values(sayings)
      .flat()
      .filter(([file, saying]) => !saying.split(/\{[^}]*\}/).every((part) => written(file).includes(part)));
    expect(lost).toEqual([]);
  });

  test('and so is each place that raises one: a new one is given its words above, and counted here', () => {
    const raising = /\b(?:alert|alerts\.raise|onDamage|troubles\.flag)\(\s*(?!swap: string)/g;
    const places = sources('engine').flatMap((name) => {
      const count = [...readFileSync(join(root, name), 'utf8').matchAll(raising)].length;
      return count === 0 ? [] : [[name, count] as const];
    });
    expect(Object.fromEntries(places)).toEqual({
      'engine/node-runtime.ts': 2,
      'engine/rescue/keep.ts': 3,
      'engine/rescue/read-back.ts': 1,
      'engine/runtime/core.ts': 2,
      'engine/runtime/runtime.ts': 4,
      'engine/runtime/troubles.ts': 2,
      'engine/runtime/unsaved.ts': 1,
      'engine/runtime/watcher.ts': 1,
      'engine/service/books/books.ts': 2,
      'engine/service/exits/exits.ts': 1,
      'engine/service/exits/unilateral.ts': 1,
      'engine/service/market/pegs.ts': 3,
      'engine/service/networks/bitcoin.ts': 2,
      'engine/service/networks/evm.ts': 2,
      'engine/service/reconciliation/shown-secrets.ts': 1,
      'engine/service/wallet/renewal.ts': 2,
    });
  });

  test('and stands in the document that says what to do', () => {
    const text = readFileSync(join(root, 'resources/docs/operate/alerts.md'), 'utf8');
    const [, list = ''] = text.split('## One by one');
    const listed = [...list.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
    expect(listed).toEqual(alertNames);
  });

  test('and is called so by a test that has it raised', () => {
    const self = import.meta.filename;
    const texts = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
      .map((name) => join(root, 'test', name))
      .filter((file) => /\.test\.tsx?$/.test(file) && file !== self)
      .map((file) => readFileSync(file, 'utf8'));
    // What no kind fits is called so above.
    const untested = alertNames.filter(
      (name) => name !== 'other' && !texts.some((text) => new RegExp(`['"/^]${name}['":]`).test(text)),
    );
    expect(untested).toEqual([]);
  });

  test('and asks for somebody where there is anything to do or to look at', () => {
    const text = readFileSync(join(root, 'resources/docs/operate/alerts.md'), 'utf8');
    const idle = [...text.matchAll(/^\| `([\w-]+)` \|.*\| nothing \|$/gm)].map(([, name]) => name);
    const severities = Object.entries(sayings).map(([name, [[, saying] = ['', '']]]) => [
      name,
      severityOf(null, saying.replaceAll(/[{}]/g, '')),
    ]);
    expect(severities.filter(([, severity]) => severity !== 'act').map(([name]) => name)).toEqual(idle);
  });
});
