import { useState } from 'react';
import { CopyButton } from '../../parts/address.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Qr } from '../../parts/qr.tsx';
import { checklistWords as words } from '../../words/checklist-words.ts';
import { words as common } from '../../words/words.ts';

/** What a wallet of another interface is given, to be copied or scanned. */
export function BaseUrl({ url }: { url: string }) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <div className="mt-1">
      <Button size="small" icon="down" onPress={() => setOpen(true)}>
        {words.baseUrl}
      </Button>
      {open ? (
        <Dialog
          open
          onClose={close}
          title={words.baseUrlTitle}
          actions={<Button onPress={close}>{common.wallets.done}</Button>}
        >
          <p className="sub">{words.baseUrlMeans}</p>
          <Qr text={url} label={words.qrOfBaseUrl} />
          <code className="mono break-all">{url}</code>
          <CopyButton text={url} thing={words.baseUrlTitle}>
            {common.parts.copy}
          </CopyButton>
        </Dialog>
      ) : null}
    </div>
  );
}
