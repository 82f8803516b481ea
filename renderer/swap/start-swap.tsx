import { useState } from 'react';
import { firstDirection, pageDirections, shownDirections, type ShownDirection } from '../directions/directions.ts';
import { directionText } from '../format/directions.ts';
import { readSats } from '../format/sats.ts';
import { sentenceFor, useNode } from '../stores/node.ts';

export function StartSwap() {
  const startSwap = useNode((state) => state.startSwap);
  const [direction, setDirection] = useState<ShownDirection>(firstDirection);
  const [text, setText] = useState('25,000');
  const [trouble, setTrouble] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    const amount = readSats(text);
    if (amount === null) return setTrouble(`An amount is a whole number of sats, not "${text}".`);
    setBusy(true);
    setTrouble('');
    try {
      await startSwap(direction, amount);
    } catch (error) {
      setTrouble(sentenceFor(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      className="panel flex flex-col gap-4"
      aria-labelledby="start"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <h2 id="start" className="heading">
        Swap in the sandbox
      </h2>
      <fieldset className="flex flex-wrap gap-x-6 gap-y-2">
        <legend className="mb-1 text-sm text-quiet">Direction</legend>
        {shownDirections.map((one) => (
          <label key={one} className="flex min-h-6 items-center gap-2">
            <input
              type="radio"
              name="direction"
              className="size-4 accent-accent"
              checked={direction === one}
              onChange={() => setDirection(one)}
            />
            {directionText(one)}
          </label>
        ))}
      </fieldset>
      <label className="flex flex-col gap-1">
        <span className="text-sm text-quiet">{pageDirections[direction].amountLabel}</span>
        <input
          className="field tabular-nums"
          inputMode="numeric"
          value={text}
          aria-invalid={trouble !== ''}
          aria-describedby="start-trouble"
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <p id="start-trouble" role="alert" className="text-bad empty:hidden">
        {trouble}
      </p>
      <button type="submit" className="button button-main" disabled={busy}>
        {busy ? 'Starting…' : 'Start the swap'}
      </button>
    </form>
  );
}
