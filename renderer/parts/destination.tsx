import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import { networkName } from '../format/networks.ts';
import { words } from '../words/words.ts';
import { Address } from './address.tsx';

type To = Pick<TakerSwap, 'to' | 'get'>;

/** Where it arrives: a wallet of one's own by its name, anything else by what was given for it, whole. */
export function Destination({ swap: { to, get } }: { swap: To }) {
  const name = networkName(get.network);
  if (to.own) return words.oneSwap.ownWalletOn(name);
  if (to.text === null) return name;
  return <Place text={to.text} />;
}

/** An address in groups; an invoice, which nobody compares, on as many lines as it takes. */
export function Place({ text }: { text: string }) {
  return text.length > 120 || text.toLowerCase().startsWith('ln') ? (
    <span className="mono sub break-all" data-testid="destination">
      {text}
    </span>
  ) : (
    <span data-testid="destination">
      <Address text={text} />
    </span>
  );
}

/** The line of a page on which it stands. */
export function GoesTo({ swap }: { swap: To }) {
  return (
    <div className="mt-4">
      <p className="label">{words.oneSwap.arrivesAt}</p>
      <Destination swap={swap} />
    </div>
  );
}
