import { Field } from '../../parts/field.tsx';
import { words } from '../../words/words.ts';

/** All words of a paper, typed or pasted. */
export function WordsField({ typed, onText }: { typed: string; onText: (text: string) => void }) {
  return (
    <Field label={words.setup.restoreLabel}>
      {(tie) => (
        <textarea
          {...tie}
          className="in mono"
          rows={3}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          value={typed}
          onChange={(event) => onText(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
