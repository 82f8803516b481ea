import { useState } from 'react';
import { longestLabel, longestNote, type SwapLabel } from '../../../engine/contract/owner/labels.ts';
import { figureText } from '../../format/amount.ts';
import { Button } from '../../parts/button.tsx';
import { Field, TextField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { useActing } from '../../stores/acting.ts';
import { client } from '../../stores/records.ts';
import { labelWords } from '../../words/label-words.ts';

/** What the owner calls a swap. What was typed stays while the swap goes on. */
export function LabelPanel({ id, label, note }: SwapLabel & { id: string }) {
  const [typed, setTyped] = useState({ label: label ?? '', note: note ?? '' });
  const { busy, outcome, run } = useActing();
  const same = typed.label.trim() === (label ?? '') && typed.note.trim() === (note ?? '');
  const save = () =>
    run('label', async () => {
      await client().call('labelSwap', { params: { id }, body: bodyOf(typed) });
      return labelWords.saved;
    });
  return (
    <details className="section" open={label !== null || note !== null}>
      <summary>
        <Icon name="right" className="chev" />
        <h2>{labelWords.title}</h2>
      </summary>
      <form
        className="stack mt-3 ml-6"
        onSubmit={(event) => {
          event.preventDefault();
          if (busy === null && !same) void save();
        }}
      >
        <p className="sub">{labelWords.lead}</p>
        <TextField
          label={labelWords.label}
          value={typed.label}
          error={tooLong(typed.label, longestLabel)}
          onText={(text) => setTyped({ ...typed, label: text })}
          autoComplete="off"
        />
        <Field label={labelWords.note} error={tooLong(typed.note, longestNote)}>
          {(tie) => (
            <textarea
              {...tie}
              className="in"
              rows={3}
              value={typed.note}
              onChange={(event) => setTyped({ ...typed, note: event.currentTarget.value })}
            />
          )}
        </Field>
        <div className="row">
          <Button submit busy={busy !== null}>
            {labelWords.save}
          </Button>
        </div>
        <Outcome outcome={outcome} />
      </form>
    </details>
  );
}

function tooLong(text: string, most: number): string | null {
  return text.trim().length > most ? labelWords.tooLong(figureText(String(most), 0)) : null;
}

/** What is empty is left out: that removes it. */
export function bodyOf(typed: { readonly label: string; readonly note: string }) {
  const [label, note] = [typed.label.trim(), typed.note.trim()];
  return { ...(label === '' ? {} : { label }), ...(note === '' ? {} : { note }) };
}
