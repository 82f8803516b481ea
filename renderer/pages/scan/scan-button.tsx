import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { onDemand } from '../../parts/on-demand.tsx';
import { words } from '../../words/words.ts';

const ScanDialog = onDemand(async () => (await import('./scan-dialog.tsx')).ScanDialog);

/** Beside a field that takes what a wallet gives out. */
export function ScanButton({ onText }: { onText: (text: string) => void }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="row">
      <Button size="small" onPress={() => setOpen(true)}>
        {words.parts.scan}
      </Button>
      {open ? (
        <ScanDialog
          onClose={() => setOpen(false)}
          onText={(text) => {
            setOpen(false);
            onText(text);
          }}
        />
      ) : null}
    </div>
  );
}
