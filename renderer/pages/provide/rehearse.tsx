import { useState } from 'react';
import type { ChecklistStep } from '../../../engine/contract/owner/checklist.ts';
import { takerInvoices, type TakerDirection } from '../../../engine/domain/chain.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { TextField } from '../../parts/field.tsx';
import { client, useRecords } from '../../stores/records.ts';
import { goTo } from '../../stores/route.ts';
import { checklistWords as words } from '../../words/checklist-words.ts';
import { titleOf } from './titles.ts';

/** A small swap with this node itself; what it does not pay for is paid on the page of the swap. */
export function Rehearse({ step, look }: { step: ChecklistStep; look: () => void }) {
  const [invoice, setInvoice] = useState('');
  const { direction, network } = step;
  if (direction === undefined || step.state === 'done' || step.act === undefined) return null;
  const wantsInvoice = takerInvoices[direction as TakerDirection] === 'owner';
  const begin = async () => {
    const { id } = await client().call('rehearse', {
      body: {
        direction: direction as TakerDirection,
        ...(network === undefined ? {} : { evm_chain_id: Number(network.slice('evm:'.length)) as never }),
        ...(wantsInvoice ? { invoice: invoice.trim() } : {}),
      },
    });
    look();
    await useRecords.getState().look();
    goTo('swaps', id);
  };
  return (
    <span className="grid justify-items-start gap-2">
      {wantsInvoice ? (
        <TextField
          label={words.invoice}
          hint={words.invoiceHint}
          mono
          autoComplete="off"
          spellCheck={false}
          value={invoice}
          onText={setInvoice}
        />
      ) : null}
      <ActButton
        size="small"
        name={words.rehearseThing(titleOf(step))}
        act={begin}
        notYet={wantsInvoice && invoice.trim() === '' ? words.invoiceFirst : null}
      >
        {words.rehearse}
      </ActButton>
    </span>
  );
}
