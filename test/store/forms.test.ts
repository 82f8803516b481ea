import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decode } from '../../engine/store/codec.ts';
import { machines } from '../support/node.ts';
import { formsNow, type Forms } from '../upgrade/forms.ts';
import { fixturePath, releasedSchemas } from '../upgrade/kept.ts';

interface BuildForms {
  readonly label: string;
  readonly forms: Forms;
}

/** What released builds wrote, for ever, and what this one writes. */
const all: readonly BuildForms[] = [
  ...releasedSchemas().map((schema) => ({
    label: `a release of schema ${schema}`,
    forms: JSON.parse(readFileSync(fixturePath(schema, 'forms'), 'utf8')) as Forms,
  })),
  { label: 'this build', forms: formsNow() },
];
const rows = all.flatMap(({ label, forms }) => Object.keys(forms.progress).map((name) => ({ label, name, forms })));

function machineOf(name: string) {
  const machine = machines.find((one) => one.name === name);
  if (machine === undefined) throw new Error(`no machine is called ${name}`);
  return machine;
}

test.each(rows)('$name reads all that $label wrote, and knows what to do with it', ({ name, forms }) => {
  const machine = machineOf(name);
  const { terms, progress } = machine.shape;
  for (const { text, version } of forms.terms[name] ?? []) {
    const stored = terms.read(decode(text), version);
    for (const form of forms.progress[name] ?? []) {
      const state = progress.read(decode(form.text), form.version);
      expect(machine.nextAction(stored, state)).not.toBe('');
      machine.watches(stored, state);
      machine.deadline(stored, state);
    }
  }
});

test.each(rows)('$name takes no row of $label for its own that lacks a part of it', ({ name, forms }) => {
  const { terms, progress } = machineOf(name).shape;
  const damaged = [
    ...(forms.terms[name] ?? []).flatMap(({ text, version }) =>
      without(text).map((value) => () => terms.read(value, version)),
    ),
    ...(forms.progress[name] ?? []).map(
      ({ text, version }) =>
        () =>
          progress.read({ ...decode<object>(text), more: 1 }, version),
    ),
  ];
  for (const read of damaged) expect(read).toThrow();
});

test('what the next recording would keep is read by the machine that it is of, and comes back the same', () => {
  const { terms, progress } = formsNow();
  const of = (part: 'terms' | 'progress', stored: Forms['terms']) =>
    Object.entries(stored).flatMap(([name, texts]) =>
      texts.map(({ text, version }) => ({ text, read: machineOf(name).shape[part].read(decode(text), version) })),
    );
  const read = [...of('terms', terms), ...of('progress', progress)];
  expect(read.map((one) => one.read)).toEqual(read.map(({ text }) => decode(text)));
  expect(Object.keys(progress).filter((name) => name.startsWith('take-'))).toContain('take-bitcoin-arkade');
});

/** Marks that terms may lack. */
const optional = new Set(['mostFee', 'told', 'within', 'restored', 'onward']);

/** The value without each of its parts in turn. */
function without(text: string): object[] {
  const whole = decode<Record<string, unknown>>(text);
  return Object.keys(whole)
    .filter((name) => !optional.has(name))
    .map((name) => Object.fromEntries(Object.entries(whole).filter(([other]) => other !== name)));
}
