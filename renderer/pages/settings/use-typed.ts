import { useState } from 'react';
import { words } from '../../words/words.ts';
import { keyOf, meant, typed, type Setting, type Tree } from './form.ts';

/** What was typed into some settings, and what of it differs from what is in force. */
export interface Typed {
  readonly changes: readonly (readonly [Setting, unknown])[];
  /** The places of those with a text that could not be sent. */
  readonly wrong: readonly string[];
  /** Why nothing can be sent yet; null where it can. */
  readonly notYet: string | null;
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
  const wrong = changes.filter(([, value]) => value === undefined).map(([field]) => keyOf(field));
  return {
    changes,
    wrong,
    notYet: changes.length === 0 ? words.settings.unchanged : wrong.length > 0 ? words.settings.firstRight : null,
    textOf: (field) => texts[keyOf(field)] ?? typed(field, settings),
    setText: (field, text) => setTexts((before) => ({ ...before, [keyOf(field)]: text })),
    clear: () => setTexts({}),
  };
}
