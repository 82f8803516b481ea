import { useEffect, useState } from 'react';
import { words } from '../words/words.ts';
import { Button, type ButtonLook } from './button.tsx';

/** In groups, the first and the last bold: who compares looks there. Read as one word, never cut. */
export function Address({ text, group = 4 }: { text: string; group?: 4 | 8 }) {
  const groups = text.match(group === 4 ? /.{1,4}/g : /.{1,8}/g) ?? [];
  return (
    <span className="addr">
      {groups.map((part, place) => (
        <span key={place}>{part}</span>
      ))}
    </span>
  );
}

/** Copies and says so; where the browser does not allow it, it says what to do instead. */
export function CopyButton({
  text,
  thing,
  children,
  ...look
}: ButtonLook & {
  text: string;
  /** What is copied, where the button shows no words: `the address`. */
  thing: string;
  children?: string;
}) {
  const [note, setNote] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setNote(''), 4_000);
    return () => clearTimeout(timer);
  }, [note]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setNote(words.parts.copied);
    } catch {
      setNote(words.parts.copyFailed);
    }
  };
  return (
    <span className="row">
      <span role="status" className="sub">
        {note}
      </span>
      <Button
        size="small"
        icon="copy"
        {...look}
        name={children === undefined ? words.parts.copyThing(thing) : undefined}
        onPress={() => void copy()}
      >
        {children}
      </Button>
    </span>
  );
}
