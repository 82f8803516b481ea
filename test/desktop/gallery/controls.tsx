import { useState } from 'react';
import { ActButton } from '../../../renderer/parts/act-button.tsx';
import { Address, CopyButton } from '../../../renderer/parts/address.tsx';
import { AmountField } from '../../../renderer/parts/amount-field.tsx';
import { Button, ButtonLink } from '../../../renderer/parts/button.tsx';
import { Dialog } from '../../../renderer/parts/dialog.tsx';
import { Offer, TextField } from '../../../renderer/parts/field.tsx';
import { Note, Promised } from '../../../renderer/parts/note.tsx';
import { Picker } from '../../../renderer/parts/picker.tsx';
import { Qr } from '../../../renderer/parts/qr.tsx';
import { Pill, Status, type Tone } from '../../../renderer/parts/status.tsx';

const tones: readonly Exclude<Tone, 'off'>[] = ['safe', 'wait', 'need', 'danger'];

export function Controls() {
  const [open, setOpen] = useState(false);
  const [network, setNetwork] = useState<'arkade' | 'lightning'>('arkade');
  return (
    <section className="stack" aria-label="Controls">
      <div className="row">
        <Button kind="main" icon="swap">
          Swap again
        </Button>
        <Button icon="down">Save receipt</Button>
        <Button kind="quiet">Cancel, nothing was paid</Button>
        <Button kind="hurt">Start over</Button>
        <Button busy>Asking</Button>
        <Button icon="scan" name="Scan a QR code" />
        <ButtonLink href="#/">A link</ButtonLink>
        <ActButton act={() => Promise.reject(new Error('no'))}>Fails</ActButton>
      </div>
      <Button icon="back" notYet="Opens Sun 22 Nov, 22:40: until then the lock needs the provider’s signature.">
        Take it back now
      </Button>
      <div className="row">
        {tones.map((tone) => (
          <Status key={tone} tone={tone}>
            {tone}
          </Status>
        ))}
        <Status tone="off">off</Status>
        {tones.map((tone) => (
          <Pill key={tone} tone={tone}>
            {tone}
          </Pill>
        ))}
      </div>
      {tones.map((tone) => (
        <Note key={tone} tone={tone} title="One sentence that must not be missed" actions={<Button>Act</Button>}>
          And what it means for the money.
        </Note>
      ))}
      <Promised>
        Once paid, all of it is refundable from <strong>Sun 22 Nov, 22:40</strong> with nobody’s help.
      </Promised>
      <div className="panel deal">
        <AmountField
          label="You give"
          text="1,250,000"
          placeholder="no quote"
          asset={
            <Picker
              purpose="You give on"
              value={network}
              onPick={setNetwork}
              options={[
                { value: 'arkade', label: 'sats', detail: 'Arkade', icon: 'arch' },
                { value: 'lightning', label: 'sats', detail: 'Lightning', icon: 'bolt' },
              ]}
            />
          }
          hint="From 1,000 to 10,000,000"
        />
        <AmountField
          label="You give too much"
          text="12,000,000"
          placeholder="no quote"
          asset={null}
          error={
            <>
              10,000,000 sats is the most one swap can take now. <Offer onPress={() => {}}>Use 10,000,000</Offer>
            </>
          }
        />
      </div>
      <TextField label="Send it to" hint="An address or an invoice" value="0x7E1c" onText={() => {}} mono />
      <TextField label="Send it to" error="No network knows this address." value="0x7E1c" onText={() => {}} mono />
      <div className="row">
        <Button onPress={() => setOpen(true)}>Ask</Button>
        <Dialog
          open={open}
          onClose={() => setOpen(false)}
          title="Leave to Bitcoin now?"
          actions={<Button onPress={() => setOpen(false)}>Not now</Button>}
        >
          <p>It costs at most 14,800 sats.</p>
        </Dialog>
      </div>
      <div className="pay">
        <Qr text="lnbcrt12500n1p" label="QR code of the invoice" />
        <div>
          <Address text="tark1qq08lhule5vwpltapgh48g3k0zdwycnkffau8gku8yn4uu4wf" />
          <CopyButton text="tark1" thing="the address">
            Copy address
          </CopyButton>
        </div>
      </div>
    </section>
  );
}
