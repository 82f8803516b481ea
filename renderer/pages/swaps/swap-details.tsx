import type { ReactNode } from 'react';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { networkName } from '../../format/networks.ts';
import { Address, CopyButton } from '../../parts/address.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Explorer } from '../display/shown.tsx';
import { words } from '../../words/words.ts';

/** Ids and transactions: what one compares, copies and asks others about. */
export function SwapDetails({ swap }: { swap: TakerSwap }) {
  return (
    <details className="section">
      <summary>
        <Icon name="right" className="chev" />
        <h2>{words.oneSwap.details}</h2>
      </summary>
      <div className="mt-3 ml-6">
        <SwapFacts swap={swap} />
      </div>
    </details>
  );
}

export function SwapFacts({ swap }: { swap: TakerSwap }) {
  return (
    <dl className="facts proof">
      {swap.transactions.map(({ what, network, txid, whose }) => (
        <Fact key={`${what}${txid}`} label={words.oneSwap.onNetwork(nameOf(what, whose), networkName(network))}>
          <Address text={txid} group={8} />
          <CopyButton text={txid} thing={words.oneSwap.theTransaction} kind="quiet" size="inline" />
          <Explorer network={network} txid={txid} />
        </Fact>
      ))}
      <Fact label={words.oneSwap.swapId}>
        <span className="mono">{swap.id}</span>
      </Fact>
      {swap.provider_swap_id === null ? null : (
        <Fact label={words.oneSwap.providerSwap}>
          <span className="mono">{swap.provider_swap_id}</span>
        </Fact>
      )}
      <Fact label={words.oneSwap.provider}>
        {swap.provider_url === '' ? words.oneSwap.thisNode : swap.provider_url}
      </Fact>
    </dl>
  );
}

type Transaction = TakerSwap['transactions'][number];

function nameOf(what: Transaction['what'], whose: Transaction['whose']): string {
  return words.oneSwap.transactions[what === 'claim' && whose === 'provider' ? 'claimOfProvider' : what];
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}
