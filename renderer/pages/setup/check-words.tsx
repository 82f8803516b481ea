import { useState } from 'react';
import type { CheckedWord, SetupApi } from '../../../preload/setup.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Status } from '../../parts/status.tsx';
import { words } from '../../words/words.ts';
import { Frame } from './frame.tsx';
import { useStep } from './use-step.ts';

/** A backup counts only once it was read back. */
export function CheckWords({
  setup,
  places,
  onBack,
}: {
  setup: SetupApi;
  places: readonly number[];
  onBack: () => void;
}) {
  const [typed, setTyped] = useState<Readonly<Record<number, string>>>({});
  const [checked, setChecked] = useState<readonly CheckedWord[]>([]);
  const { busy, trouble, take } = useStep();
  const text = words.setup;
  const missing = places.some((place) => (typed[place] ?? '').trim() === '');
  const verify = async () => {
    const given = places.map((place) => ({ place, word: (typed[place] ?? '').trim().toLowerCase() }));
    const came = await take(setup.verify({ words: given }));
    setChecked(came?.words ?? []);
  };
  return (
    <Frame
      step={2}
      title={text.checkTitle(`${places.slice(0, -1).join(', ')}${text.and}${places.at(-1)}`)}
      lead={text.checkLead}
      trouble={trouble}
    >
      <form
        className="panel stack mt-6"
        onSubmit={(event) => {
          event.preventDefault();
          if (!missing && !busy) void verify();
        }}
      >
        {places.map((place) => (
          <WordField
            key={place}
            place={place}
            word={typed[place] ?? ''}
            checked={checked.find((one) => one.place === place) ?? null}
            onWord={(word) => {
              setTyped({ ...typed, [place]: word });
              setChecked(checked.filter((one) => one.place !== place));
            }}
          />
        ))}
        <div className="row apart">
          <Button kind="quiet" icon="left" onPress={onBack}>
            {text.again}
          </Button>
          <Button kind="main" submit busy={busy} notYet={missing ? text.fillAll : null}>
            {text.confirm}
          </Button>
        </div>
      </form>
    </Frame>
  );
}

function WordField({
  place,
  word,
  checked,
  onWord,
}: {
  place: number;
  word: string;
  checked: CheckedWord | null;
  onWord: (word: string) => void;
}) {
  const { unlisted, wrong, right } = words.setup;
  const error =
    checked === null || checked.is === 'right'
      ? null
      : checked.is === 'wrong'
        ? wrong
        : unlisted(word, checked.near.join(', '));
  return (
    <Field
      label={words.setup.word(place)}
      error={error}
      hint={checked?.is === 'right' ? <Status tone="safe">{right}</Status> : null}
    >
      {(tie) => (
        <input
          {...tie}
          className="in mono"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={word}
          onChange={(event) => onWord(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
