import { useState } from 'react';
import type { Withdrawal } from '../../../engine/contract/owner/wallets.ts';
import { amountText, figureText } from '../../format/amount.ts';
import { withoutLink } from '../../format/link.ts';
import { networkName } from '../../format/networks.ts';
import { CopyButton } from '../../parts/address.tsx';
import { Button } from '../../parts/button.tsx';
import { Ruled } from '../../parts/costs.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Offer, TextField } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { client, useRecords } from '../../stores/records.ts';
import { troubleText } from '../../stores/trouble.ts';
import { words } from '../../words/words.ts';
import { ScanButton } from '../scan/scan-button.tsx';
import type { Holding } from './holdings.ts';
import { mostSent, readSend, type SendRead, type SendText } from './send-form.ts';
import { SendReview, type SendMore } from './send-review.tsx';
import { useCeilings } from './use-ceilings.ts';

const blank: SendText = { address: '', amount: '', all: false, maxFee: '' };

type Step = 'fill' | 'review' | { readonly sent: Withdrawal };

/** Where to, how much, what it may cost; then the same once more to look over, and only then it is sent. */
export function SendDialog({ holding, onClose }: { holding: Holding; onClose: () => void }) {
  const [text, setText] = useState<SendText>(blank);
  const [step, setStep] = useState<Step>('fill');
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  const shown = (amount: string) => amountText({ amount, decimals: holding.decimals, symbol: holding.symbol });
  const read = readSend(text, holding, shown);
  const what = words.wallets.on(holding.symbol, networkName(holding.network));

  const send = async (more: SendMore) => {
    if (read.is === 'wrong') return;
    setBusy(true);
    setTrouble(null);
    try {
      const sent = await client().call(holding.of === 'swaps' ? 'sendOnFromTaker' : 'withdraw', {
        params: { network: holding.network },
        body: {
          address: read.address,
          amount: read.amount,
          ...(holding.asset === 'btc' ? {} : { asset: holding.asset }),
          ...(read.maxFee === null ? {} : { max_fee: read.maxFee }),
          ...more,
        },
      });
      setStep({ sent });
      void useRecords.getState().look();
    } catch (error) {
      setTrouble(troubleText(error));
      setStep('fill');
    }
    setBusy(false);
  };

  const review = () => {
    setTried(true);
    setTrouble(null);
    if (read.is === 'ready') setStep('review');
  };

  if (typeof step === 'object')
    return (
      <Dialog
        open
        onClose={onClose}
        title={words.wallets.sendTitle(what)}
        actions={<Button onPress={onClose}>{words.wallets.done}</Button>}
      >
        <Sent {...step.sent} />
      </Dialog>
    );

  if (step === 'review' && read.is === 'ready')
    return (
      <SendReview
        read={read}
        holding={holding}
        shown={shown}
        busy={busy}
        onClose={onClose}
        onBack={() => setStep('fill')}
        onSend={(more) => void send(more)}
      />
    );

  return (
    <Dialog
      open
      onClose={onClose}
      title={words.wallets.sendTitle(what)}
      actions={
        <>
          <Button onPress={onClose}>{words.wallets.cancel}</Button>
          <Button kind="main" onPress={review}>
            {words.wallets.review}
          </Button>
        </>
      }
    >
      {trouble === null ? null : (
        <Note tone="need" alert>
          {trouble}
        </Note>
      )}
      <SendFields
        holding={holding}
        text={text}
        onText={setText}
        wrong={tried && read.is === 'wrong' ? read : null}
        shown={shown}
      />
    </Dialog>
  );
}

function SendFields({
  holding,
  text,
  onText,
  wrong,
  shown,
}: {
  holding: Holding;
  text: SendText;
  onText: (text: SendText) => void;
  wrong: Extract<SendRead, { is: 'wrong' }> | null;
  shown: (amount: string) => string;
}) {
  const { network, free, decimals, of, gas } = holding;
  const tooMuch = wrong?.amount?.startsWith(words.wallets.tooMuch(shown(free))) === true;
  return (
    <>
      <TextField
        label={words.wallets.to}
        hint={words.wallets.toHint[network] ?? words.wallets.toEvm}
        error={wrong?.address ?? null}
        mono
        autoComplete="off"
        spellCheck={false}
        value={text.address}
        onText={(address) => onText({ ...text, address })}
      />
      <ScanButton onText={(address) => onText({ ...text, address: withoutLink(address) })} />
      {text.all ? null : (
        <Field
          label={words.wallets.amount}
          hint={
            <FreeToUse
              holding={holding}
              maxFee={text.maxFee}
              shown={shown}
              onMost={(amount) => onText({ ...text, amount })}
            />
          }
          error={
            wrong === null || wrong.amount === null ? null : (
              <>
                {wrong.amount}{' '}
                {tooMuch ? (
                  <Offer onPress={() => onText({ ...text, amount: figureText(free, decimals) })}>
                    {words.wallets.takeThat}
                  </Offer>
                ) : null}
              </>
            )
          }
        >
          {(tie) => (
            <div className="row flex-nowrap gap-2">
              <input
                {...tie}
                className="in num"
                inputMode="decimal"
                autoComplete="off"
                value={text.amount}
                onChange={(event) => onText({ ...text, amount: event.currentTarget.value })}
              />
              <span className="sub">{holding.symbol}</span>
            </div>
          )}
        </Field>
      )}
      {network === 'bitcoin' || of === 'swaps' || gas ? (
        <label className="row">
          <input
            type="checkbox"
            checked={text.all}
            onChange={(event) => onText({ ...text, all: event.currentTarget.checked })}
          />
          {holding.of === 'swaps' && !holding.gas ? words.wallets.allToken : words.wallets.allMeans}
        </label>
      ) : null}
      {network === 'bitcoin' || network === 'lightning' || of === 'swaps' ? (
        <TextField
          label={`${words.wallets.maxFee}, sats`}
          hint={words.wallets.maxFeeHint}
          error={wrong?.fee ?? null}
          inputMode="numeric"
          autoComplete="off"
          value={text.maxFee}
          onText={(maxFee) => onText({ ...text, maxFee })}
        />
      ) : null}
    </>
  );
}

/** What is free, and by a press the most of it that can be sent. */
function FreeToUse({
  holding,
  maxFee,
  shown,
  onMost,
}: {
  holding: Holding;
  maxFee: string;
  shown: (amount: string) => string;
  onMost: (amount: string) => void;
}) {
  const { free, decimals } = holding;
  const most = mostSent(holding, maxFee, useCeilings());
  const sentence = words.wallets.free2(shown(free));
  if (most === null) return sentence;
  const figure = figureText(most, decimals);
  if (most === free) return <Offer onPress={() => onMost(figure)}>{sentence}</Offer>;
  return (
    <>
      {sentence} <Offer onPress={() => onMost(figure)}>{words.swap.use(figure)}</Offer>
    </>
  );
}

function Sent({ id, sent, transaction }: Withdrawal) {
  return (
    <>
      <Note tone="wait" title={sent ? words.wallets.sent : words.wallets.notSent}>
        {sent ? words.wallets.sentMeans : words.wallets.notSentMeans}
      </Note>
      <Ruled
        rows={[
          ...(transaction === ''
            ? []
            : [
                {
                  key: 'transaction',
                  label: words.wallets.transaction,
                  amount: (
                    <>
                      <span className="mono break-all">{transaction}</span>
                      <CopyButton text={transaction} thing={words.wallets.transaction} />
                    </>
                  ),
                },
              ]),
          { key: 'job', label: words.wallets.job, amount: <span className="mono">{id}</span> },
        ]}
      />
    </>
  );
}
