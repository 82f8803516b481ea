import { useState } from 'react';
import { keyOf, meant, typed, type Setting, type Tree } from './form.ts';

/** What was typed into some settings, and what of it differs from what is in force. */
export interface Typed {
  readonly changes: readonly (readonly [Setting, unknown])[];
  /** The places of those with a text that could not be sent. */
  readonly wrong: readonly string[];
  textOf(field: Setting): string;
  setText(field: Setting, text: string): void;
  clear(): void;
}

export function useTyped(settings: Tree, fields: readonly Setting[]): Typed {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const changes = fields.flatMap((field): [Setting, unknown][] => {
    const text = texts[keyOf(field)];
    return text === undefined || text === typed(field, settings) ? [] : [[field, meant(field, text)]];
  });
  return {
    changes,
    wrong: changes.filter(([, value]) => value === undefined).map(([field]) => keyOf(field)),
    textOf: (field) => texts[keyOf(field)] ?? typed(field, settings),
    setText: (field, text) => setTexts((before) => ({ ...before, [keyOf(field)]: text })),
    clear: () => setTexts({}),
  };
}
