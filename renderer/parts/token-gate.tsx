import { useState } from 'react';
import { CallFailed } from '../../engine/contract/client.ts';
import { sentenceFor, useNode } from '../stores/node.ts';

/** A browser proves with the token that it sits with the owner of the data folder. */
export function TokenGate() {
  const enter = useNode((state) => state.enter);
  const [token, setToken] = useState('');
  const [trouble, setTrouble] = useState('');
  const submit = async () => {
    try {
      await enter(token.trim());
    } catch (error) {
      setTrouble(
        error instanceof CallFailed && error.status === 401
          ? 'That is not the token of this node.'
          : sentenceFor(error),
      );
    }
  };
  return (
    <form
      className="panel mx-auto mt-16 flex max-w-lg flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <h2 className="heading">Owner token</h2>
      <p className="text-quiet">
        It is in the file owner.token of the data folder. This tab keeps it until it is closed.
      </p>
      <label className="flex flex-col gap-1">
        <span className="text-sm text-quiet">Token</span>
        <input
          className="field font-mono text-sm"
          type="password"
          autoComplete="off"
          required
          value={token}
          aria-invalid={trouble !== ''}
          aria-describedby="token-trouble"
          onChange={(event) => setToken(event.currentTarget.value)}
        />
      </label>
      <p id="token-trouble" role="alert" className="text-bad empty:hidden">
        {trouble}
      </p>
      <button type="submit" className="button button-main">
        Open
      </button>
    </form>
  );
}
