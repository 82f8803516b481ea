import { useState } from 'react';
import type { ChecklistStep } from '../../../engine/contract/owner/checklist.ts';
import { shortText } from '../../format/amount.ts';
import { networkName } from '../../format/networks.ts';
import { Button } from '../../parts/button.tsx';
import { checklistWords as words } from '../../words/checklist-words.ts';
import { words as common } from '../../words/words.ts';
import { ReceiveDialog } from '../wallets/receive-dialog.tsx';

type Deposit = NonNullable<ChecklistStep['deposits']>[number];

/** How much more the limits want, and where it goes. */
export function Deposits({ step: { network, deposits = [] }, look }: { step: ChecklistStep; look: () => void }) {
  const [open, setOpen] = useState(false);
  if (network === undefined) return null;
  const lines = deposits.map((deposit) => lineOf(network, deposit)).filter((line) => line !== null);
  return (
    <div className="stack mt-1">
      {lines.length === 0 ? null : (
        <ul className="sub">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {network === 'lightning' ? null : (
        <Button size="small" icon="down" name={words.addressOf(networkName(network))} onPress={() => setOpen(true)}>
          {words.address}
        </Button>
      )}
      {open ? (
        <ReceiveDialog
          holding={{ network }}
          onClose={() => {
            setOpen(false);
            look();
          }}
        />
      ) : null}
    </div>
  );
}

function lineOf(network: string, { symbol, decimals, least, most }: Deposit): string | null {
  if (most === '0') return null;
  const text = (amount: string) => shortText({ amount, decimals, symbol });
  if (symbol === 'gas')
    return words.gasMissing(shortText({ amount: most, decimals, symbol: common.wallets.gasCoin(network) }));
  return least === '0' ? words.missingMost(text(most)) : words.missing(text(least), text(most));
}
