import { useState, type ReactNode } from 'react';
import { useReached } from '../stores/reached.ts';
import { troubleText } from '../stores/trouble.ts';
import { words } from '../words/words.ts';
import { Button, type ButtonLook } from './button.tsx';
import { Note } from './note.tsx';

/** A button whose act takes a moment: busy meanwhile, and what went wrong stands below it. */
export function ActButton({
  act,
  children,
  notYet = null,
  ...look
}: ButtonLook & {
  readonly act: () => Promise<void>;
  readonly children: ReactNode;
  readonly notYet?: ReactNode;
}) {
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  const reached = useReached();
  const press = async () => {
    setBusy(true);
    setTrouble(null);
    try {
      await act();
    } catch (error) {
      setTrouble(troubleText(error));
    }
    setBusy(false);
  };
  return (
    <>
      <Button {...look} busy={busy} notYet={reached ? notYet : words.parts.notWhileAway} onPress={() => void press()}>
        {children}
      </Button>
      {trouble === null ? null : (
        <Note tone="need" alert>
          {trouble}
        </Note>
      )}
    </>
  );
}
