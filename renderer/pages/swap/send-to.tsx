import type { ReactNode } from 'react';
import type { BitcoinNetwork } from '../../../engine/domain/chain.ts';
import type { TakerPayee } from '../../../engine/contract/taker.ts';
import { amountText, figureText } from '../../format/amount.ts';
import { networkName } from '../../format/networks.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Button } from '../../parts/button.tsx';
import { Field, Offer } from '../../parts/field.tsx';
import { Status } from '../../parts/status.tsx';
import { client, useRecords } from '../../stores/records.ts';
import { words } from '../../words/words.ts';
import { ScanButton } from '../scan/scan-button.tsx';
import { pairWith, type Pair } from './assets.ts';
import { recognise, type Destination } from './destination.ts';
import { needs, type FormState } from './form-state.ts';
import type { LimitBreach } from './limit-breach.ts';
import type { PayeeSays } from './payee.ts';

/** One box for whatever a wallet gives out: it says what it recognised, and the form follows. */
export function SendTo({
  pairs,
  state,
  pasted,
  payee,
  beyond,
  onArrives,
  amount,
  onPaste,
}: {
  pairs: readonly Pair[];
  state: FormState;
  pasted: string;
  payee: PayeeSays;
  /** What the payee does not take, and the nearest that it does. */
  beyond: LimitBreach | null;
  onArrives: (text: string) => void;
  /** What would arrive, in sats; null while there is no price. */
  amount: string | null;
  onPaste: (text: string, follow: Pair | null) => void;
}) {
  const sandbox = useRecords((records) => records.sandbox !== null);
  const needed = needs(state.pair);
  const network = useRecords((records) => records.status?.network ?? null);
  const paste = (text: string) => onPaste(text, follow(recognise(text, network), pairs, state.pair));
  const { note, error } = verdict(state.destination, state.pair, payee, network);
  const takeInvoice = async () => {
    const amountSats = Number(amount ?? '0');
    const { bolt11 } = await client().call('lightningInvoice', { body: { amount_sats: amountSats } });
    paste(bolt11);
  };
  return (
    <div className="leg field">
      <Field
        label={words.swap.destination}
        error={error ?? outside(beyond, onArrives)}
        hint={note ?? emptyHint(state.pair)}
      >
        {(tie) => (
          <input
            {...tie}
            className="in mono"
            value={pasted}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => paste(event.currentTarget.value)}
          />
        )}
      </Field>
      <ScanButton onText={paste} />
      {sandbox && needed === 'evm' && state.destination.is !== 'evm' ? (
        <div className="row">
          <Button onPress={() => paste(freshAddress())}>{words.swap.sandboxAddress}</Button>
        </div>
      ) : null}
      {sandbox && needed === 'invoice' && state.destination.is !== 'invoice' ? (
        <div className="row">
          <ActButton act={takeInvoice} notYet={amount === null ? words.swap.whyNot.quote : null}>
            {words.swap.sandboxInvoice}
          </ActButton>
        </div>
      ) : null}
    </div>
  );
}

/** The pair to what was pasted, from where one is as far as that goes; null where the form stays as it is. */
function follow(destination: Destination, pairs: readonly Pair[], current: Pair): Pair | null {
  if (!('network' in destination)) return null;
  const pair = pairWith(pairs, 'get', destination.network, current);
  return pair.get.network === destination.network ? pair : null;
}

function verdict(
  destination: Destination,
  pair: Pair,
  payee: PayeeSays,
  network: BitcoinNetwork | null,
): { note: ReactNode; error: ReactNode } {
  const texts = words.swap.recognised;
  switch (destination.is) {
    case 'empty':
      return { note: null, error: null };
    case 'unreadable':
    case 'mistyped':
    case 'nobodys':
      return { note: null, error: texts[destination.is] };
    case 'foreign':
      return { note: null, error: texts.foreign(destination.of.join(' or '), network ?? '') };
    case 'bad-invoice':
      return { note: null, error: destination.sentence };
    case 'invoice': {
      const amount = amountText({ amount: destination.amount, decimals: 0, symbol: 'sats' });
      return pair.get.network === 'lightning'
        ? { note: good(texts.invoice(amount)), error: null }
        : { note: null, error: texts.notPossible(texts.invoice(amount)) };
    }
    case 'lnurl':
    case 'lightningAddress':
      if (pair.get.network !== 'lightning') return { note: null, error: texts.notPossible(texts[destination.is]) };
      return {
        note: payee.range === null ? texts.askingPayee : takes(destination.is, payee.range),
        error: payee.trouble,
      };
    case 'evm':
      return needs(pair) === 'evm'
        ? { note: good(texts.evmOn(networkName(pair.get.network))), error: null }
        : { note: null, error: texts.notPossible(texts.evm) };
    case 'arkade':
    case 'bitcoin': {
      const { network } = destination;
      return pair.get.network === network
        ? { note: <Status tone="wait">{texts.toOwn(texts[network], networkName(network))}</Status>, error: null }
        : { note: null, error: texts.notPossible(texts[network]) };
    }
  }
}

function takes(kind: 'lnurl' | 'lightningAddress', { min_sats: least, max_sats: most }: TakerPayee): ReactNode {
  const texts = words.swap.recognised;
  return good(texts.takes(texts[kind], figureText(String(least), 0), figureText(String(most), 0)));
}

function outside(beyond: LimitBreach | null, onArrives: (text: string) => void): ReactNode {
  if (beyond === null) return null;
  const figure = figureText(beyond.nearest, 0);
  return (
    <>
      {words.swap.payeeTakes[beyond.is](figure)}{' '}
      <Offer onPress={() => onArrives(figure)}>{words.swap.use(figure)}</Offer>
    </>
  );
}

/** An address that nobody has the key of: for the sandbox, where nothing is lost by that. */
function freshAddress(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(20));
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function emptyHint(pair: Pair): string {
  const needed = needs(pair);
  if (needed === 'invoice') return words.swap.destinationHint;
  if (needed === 'evm') return words.swap.destinationOnChain(networkName(pair.get.network));
  return `${words.swap.ownWallet(networkName(pair.get.network))} ${words.swap.pasteHere}`;
}

function good(text: string): ReactNode {
  return <Status tone="safe">{text}</Status>;
}
