import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { decode } from '../../engine/store/codec.ts';
import { machines } from '../support/node.ts';
import { formsNow, type Forms } from '../upgrade/forms.ts';
import { fixturePath } from '../upgrade/kept.ts';

/** The versions of terms and progress in what a build of that schema wrote; each stays here for ever. */
const written = [{ schema: 7, version: 1 }];

describe.each(written)('what a build of schema $schema wrote', ({ schema, version }) => {
  const forms = JSON.parse(readFileSync(fixturePath(schema, 'forms'), 'utf8')) as Forms;

  test('is of every machine that there was, and in every state', () => {
    const states = (name: string) => [
      ...new Set(forms.progress[name]?.map((text) => decode<{ readonly at: string }>(text).at)),
    ];
    expect(Object.keys(forms.progress).map((name) => [name, states(name).length])).toEqual([
      ['lightning-arkade', 17],
      ['arkade-lightning', 9],
      ['withdraw-arkade', 4],
      ['withdraw-lightning', 4],
      ['withdraw-bitcoin', 5],
      ['exit-arkade', 4],
      ['take-lightning-arkade', 7],
      ['take-arkade-lightning', 8],
    ]);
  });

  test.each(Object.keys(forms.progress))('%s reads all of it, and knows what to do with it', (name) => {
    const machine = machines.find((one) => one.name === name);
    if (machine === undefined) throw new Error(`no machine is called ${name}`);
    const { terms, progress } = machine.shape;
    for (const text of forms.terms[name] ?? []) {
      const stored = terms.read(decode(text), version);
      const reduced = machine.reducing?.whole(stored) ?? stored;
      for (const form of forms.progress[name] ?? []) {
        const state = progress.read(decode(form), version);
        expect(machine.nextAction(reduced, state)).not.toBe('');
        machine.watches(reduced, state);
        machine.deadline(reduced, state);
      }
    }
  });

  test.each(Object.keys(forms.progress))('%s takes no row for its own that lacks a part of it', (name) => {
    const shape = machines.find((one) => one.name === name)?.shape;
    const damaged = [
      ...(forms.terms[name] ?? []).flatMap((text) =>
        without(text).map((value) => () => shape?.terms.read(value, version)),
      ),
      ...(forms.progress[name] ?? []).map(
        (text) => () => shape?.progress.read({ ...decode<object>(text), more: 1 }, version),
      ),
    ];
    for (const read of damaged) expect(read).toThrow();
  });
});

test('what the next recording would keep is read by the machine that it is of', () => {
  const { terms, progress } = formsNow();
  const of = (part: 'terms' | 'progress', texts: Forms['terms']) =>
    Object.entries(texts).flatMap(([name, all]) => {
      const shape = machines.find((one) => one.name === name)?.shape[part];
      return all.map((text) => ({ text, read: shape?.read(decode(text), shape.version) }));
    });
  const all = [...of('terms', terms), ...of('progress', progress)];
  expect(all.map(({ read }) => read)).toEqual(all.map(({ text }) => decode(text)));
  expect(Object.keys(progress).filter((name) => name.startsWith('take-'))).toContain('take-bitcoin-arkade');
});

/** Marks that were left out of terms of before. */
const optional = new Set(['mostFee', 'told']);

/** The value without each of its parts in turn. */
function without(text: string): object[] {
  const whole = decode<Record<string, unknown>>(text);
  return Object.keys(whole)
    .filter((name) => !optional.has(name))
    .map((name) => Object.fromEntries(Object.entries(whole).filter(([other]) => other !== name)));
}
