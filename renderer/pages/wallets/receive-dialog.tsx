import { useEffect, useState } from 'react';
import { readUnits } from '../../format/amount.ts';
import { networkName } from '../../format/networks.ts';
import { Address, CopyButton } from '../../parts/address.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Loading } from '../../parts/empty.tsx';
import { TextField } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { Qr } from '../../parts/qr.tsx';
import { client } from '../../stores/records.ts';
import { troubleText } from '../../stores/trouble.ts';
import { words } from '../../words/words.ts';
import type { Holding } from './holdings.ts';

/** Where money comes in: an address, or over Lightning an invoice over an amount. */
export function ReceiveDialog({ holding, onClose }: { holding: Pick<Holding, 'network'>; onClose: () => void }) {
  const { network } = holding;
  const lightning = network === 'lightning';
  const [amount, setAmount] = useState<string | null>(lightning ? null : '');
  const [address, setAddress] = useState<string | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  useEffect(() => {
    if (amount === null) return;
    client()
      .call('walletAddress', { params: { network }, body: amount === '' ? {} : { amount } })
      .then((reply) => setAddress(reply.address))
      .catch((error: unknown) => {
        setTrouble(troubleText(error));
        setAmount((before) => (before === '' ? before : null));
      });
  }, [network, amount]);
  const { receiveArkade, receiveBitcoin, receiveEvm, receiveLightning } = words.wallets;
  const lead = { arkade: receiveArkade, bitcoin: receiveBitcoin, lightning: receiveLightning }[network] ?? receiveEvm;
  return (
    <Dialog
      open
      onClose={onClose}
      title={words.wallets.receiveTitle(networkName(network))}
      actions={<Button onPress={onClose}>{words.wallets.done}</Button>}
    >
      <p className="sub">{lead}</p>
      {trouble === null ? null : (
        <Note tone="need" alert>
          {trouble}
        </Note>
      )}
      {address !== null ? (
        <Shown address={address} network={network} />
      ) : amount === null ? (
        <InvoiceAmount onAmount={setAmount} />
      ) : trouble === null ? (
        <Loading />
      ) : null}
    </Dialog>
  );
}

function Shown({ address, network }: { address: string; network: string }) {
  const thing = network === 'lightning' ? words.wallets.theInvoice : words.wallets.theAddress;
  return (
    <>
      <Qr text={address} label={words.wallets.qrOf(networkName(network))} />
      <Address text={address} group={address.length > 80 ? 8 : 4} />
      <CopyButton text={address} thing={thing}>
        {words.parts.copy}
      </CopyButton>
    </>
  );
}

function InvoiceAmount({ onAmount }: { onAmount: (units: string) => void }) {
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState(false);
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        const units = readUnits(text, 0);
        setWrong(units === null);
        if (units !== null) onAmount(units);
      }}
    >
      <TextField
        label={words.wallets.invoiceOver}
        hint="sats"
        error={wrong ? words.wallets.needAmount : null}
        inputMode="numeric"
        autoComplete="off"
        value={text}
        onText={setText}
      />
      <Button submit kind="main">
        {words.wallets.makeInvoice}
      </Button>
    </form>
  );
}
