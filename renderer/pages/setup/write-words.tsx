import { useEffect, useState } from 'react';
import type { SetupApi } from '../../../preload/setup.ts';
import { Button } from '../../parts/button.tsx';
import { Note } from '../../parts/note.tsx';
import { words } from '../../words/words.ts';
import { Frame } from './frame.tsx';
import { useStep } from './use-step.ts';

/** The words, as long as this screen is shown and no longer. */
export function WriteWords({ setup, count, onWritten }: { setup: SetupApi; count: number; onWritten: () => void }) {
  const [list, setList] = useState<readonly string[] | null>(null);
  const [visible, setVisible] = useState(true);
  const { trouble, take } = useStep();
  const text = words.setup;
  useEffect(() => {
    void take(setup.show()).then((came) => setList(came?.words ?? null));
    return () => setList(null);
    // Once for the words that this screen is about.
  }, [setup]);
  return (
    <Frame step={1} title={text.writeTitle(count)} lead={text.writeLead} trouble={trouble}>
      {visible ? <WordList list={list ?? []} /> : <p className="panel mt-6">{text.hidden}</p>}
      <div className="mt-4">
        <Note tone="need" title={text.whoHas}>
          {text.noPhoto}
        </Note>
      </div>
      <div className="row apart mt-7">
        <Button kind="quiet" icon="left" onPress={() => void take(setup.forget())}>
          {text.back}
        </Button>
        <span className="row">
          <Button icon="eye" onPress={() => setVisible(!visible)}>
            {visible ? text.hide : text.show}
          </Button>
          <Button kind="main" onPress={onWritten}>
            {text.written}
          </Button>
        </span>
      </div>
    </Frame>
  );
}

export function WordList({ list }: { list: readonly string[] }) {
  return (
    <ol className="words mt-6" aria-label={words.setup.yourWords}>
      {list.map((word, place) => (
        <li key={place}>{word}</li>
      ))}
    </ol>
  );
}
