import { useState } from 'react';

/** A long text to hand to a wallet, with its button. The field stays selectable where the clipboard is not allowed. */
export function CopyText({ text, label }: { text: string; label: string }) {
  const [note, setNote] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setNote('Copied');
    } catch {
      setNote('Select the text and copy it: this browser does not let the page do it');
    }
  };
  return (
    <div className="flex flex-col gap-2">
      <label className="flex flex-col gap-1">
        <span className="text-sm text-quiet">{label}</span>
        <input
          className="field font-mono text-sm"
          readOnly
          value={text}
          onFocus={(event) => event.currentTarget.select()}
        />
      </label>
      <div className="flex items-center gap-3">
        <button type="button" className="button" onClick={() => void copy()}>
          Copy
        </button>
        <span role="status" className="text-sm text-quiet">
          {note}
        </span>
      </div>
    </div>
  );
}
