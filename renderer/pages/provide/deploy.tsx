import { useState } from 'react';
import type { ChecklistStep } from '../../../engine/contract/owner/checklist.ts';
import { networkName } from '../../format/networks.ts';
import { Button } from '../../parts/button.tsx';
import { onDemand } from '../../parts/on-demand.tsx';
import { checklistWords as words } from '../../words/checklist-words.ts';

const DeployDialog = onDemand(async () => (await import('./deploy-dialog.tsx')).DeployDialog);

/** Puts the contracts that lack on a chain; before it is pressed its owner sees what it costs. */
export function Deploy({ step: { network, state }, look }: { step: ChecklistStep; look: () => void }) {
  const [open, setOpen] = useState(false);
  if (network === undefined || state === 'done') return null;
  return (
    <>
      <Button size="small" name={words.deployOn(networkName(network))} onPress={() => setOpen(true)}>
        {words.deploy}
      </Button>
      {open ? (
        <DeployDialog
          network={network}
          onClose={() => {
            setOpen(false);
            look();
          }}
        />
      ) : null}
    </>
  );
}
