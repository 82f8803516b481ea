import { useState } from 'react';
import { Address, CopyButton } from '../../parts/address.tsx';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { useActing } from '../../stores/acting.ts';
import { client } from '../../stores/records.ts';
import { sandboxWords } from '../../words/sandbox-words.ts';
import { words } from '../../words/words.ts';
import { FaucetLine } from './faucet-line.tsx';

/** The wallet of somebody else on Lightning: it pays and is paid. */
export function OutsideWallet() {
  const { busy, outcome, run } = useActing();
  const [invoice, setInvoice] = useState('');
  const [made, setMade] = useState<string | null>(null);
  const pay = () =>
    run('pay', async () => {
      await client().call('lightningPay', { body: { bolt11: invoice.trim() } });
      return sandboxWords.paid;
    });
  const make = (units: string) =>
    run('make', async () => {
      const { bolt11 } = await client().call('lightningInvoice', { body: { amount_sats: Number(units) } });
      setMade(bolt11);
      return sandboxWords.made;
    });
  return (
    <section className="section" aria-labelledby="outside">
      <h2 id="outside">{sandboxWords.outside}</h2>
      <div className="stack mt-3">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void pay();
          }}
        >
          <Field label={sandboxWords.pay}>
            {(tie) => (
              <div className="copyline">
                <input
                  {...tie}
                  className="in mono"
                  placeholder="lnbcrt…"
                  autoComplete="off"
                  spellCheck={false}
                  required
                  value={invoice}
                  onChange={(event) => setInvoice(event.currentTarget.value)}
                />
                <Button submit busy={busy === 'pay'} name={sandboxWords.pay}>
                  {sandboxWords.payNow}
                </Button>
              </div>
            )}
          </Field>
        </form>
        <FaucetLine
          label={sandboxWords.invoice}
          icon="bolt"
          unit="sats"
          decimals={0}
          start="50,000"
          press={sandboxWords.make}
          busy={busy === 'make'}
          onAmount={(units) => void make(units)}
        />
        {made === null ? null : (
          <div>
            <Address text={made} group={8} />
            <p className="mt-2">
              <CopyButton text={made} thing={sandboxWords.theInvoice}>
                {words.parts.copy}
              </CopyButton>
            </p>
          </div>
        )}
      </div>
      <Outcome outcome={outcome} />
    </section>
  );
}
