import { useState } from 'react';
import { CallFailed } from '../../engine/contract/client.ts';
import { Mark } from '../parts/brand.tsx';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { useRecords } from '../stores/records.ts';
import { troubleText } from '../stores/trouble.ts';
import { words } from '../words/words.ts';

/** A browser proves with the token that it sits with the owner of the data folder. */
export function Gate() {
  const enter = useRecords((state) => state.enter);
  const [token, setToken] = useState('');
  const [trouble, setTrouble] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    try {
      await enter(token.trim());
    } catch (error) {
      setTrouble(error instanceof CallFailed && error.status === 401 ? words.gate.wrong : troubleText(error));
      setBusy(false);
    }
  };
  return (
    <main className="first">
      <p className="brand">
        <Mark />
        {words.shell.name}
      </p>
      <h1>{words.gate.title}</h1>
      <p className="lead">{words.gate.lead}</p>
      <form
        className="stack panel mt-6"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <TextField
          label={words.gate.label}
          hint={words.gate.hint}
          error={trouble}
          type="password"
          autoComplete="off"
          required
          autoFocus
          mono
          value={token}
          onText={setToken}
        />
        <Button kind="main" submit busy={busy}>
          {words.gate.open}
        </Button>
      </form>
    </main>
  );
}
