import type { TakerAccounts } from '../../../engine/contract/taker-accounts.ts';
import { networkIcon, networkName } from '../../format/networks.ts';
import { Address, CopyButton } from '../../parts/address.tsx';
import { Button } from '../../parts/button.tsx';
import { Figure } from '../../parts/figure.tsx';
import { FoldTable, type Column } from '../../parts/fold-table.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Status } from '../../parts/status.tsx';
import { words } from '../../words/words.ts';
import { holdingsOfAccount, type Holding } from './holdings.ts';

/**
 * What own swaps left at their account on EVM chains, and the way out of it. Nothing is shown where nothing ever came.
 */
export function SwapAccount({
  accounts,
  onSend,
}: {
  accounts: TakerAccounts['accounts'];
  onSend: (holding: Holding) => void;
}) {
  const [first] = accounts;
  const rows = accounts.flatMap(holdingsOfAccount);
  const away = accounts.filter(({ holdings }) => holdings === null);
  if (first === undefined || rows.length === 0) return null;
  return (
    <section className="section" aria-labelledby="w-swaps">
      <h2 id="w-swaps">{words.wallets.swapAccount}</h2>
      <p className="sub prose">{words.wallets.swapAccountLead}</p>
      <p className="row mt-2">
        <Address text={first.address} />
        <CopyButton text={first.address} thing={words.wallets.theAddress} kind="quiet" size="inline" />
      </p>
      <FoldTable
        className="holdings"
        caption={words.wallets.swapAccountCaption}
        columns={columnsFor(onSend)}
        rows={rows}
        keyOf={({ network, asset }) => `${network} ${asset}`}
      />
      {away.map(({ network }) => (
        <p key={network} className="mt-3">
          <Status tone="need">{words.wallets.swapAccountAway(networkName(network))}</Status>
        </p>
      ))}
    </section>
  );
}

function columnsFor(onSend: (holding: Holding) => void): readonly Column<Holding>[] {
  const { asset, free, forSwaps, actions, on } = words.wallets;
  return [
    {
      key: 'asset',
      head: asset,
      rowHead: true,
      whole: true,
      cell: ({ symbol, network }) => (
        <span className="st">
          <Icon name={networkIcon(network)} />
          {on(symbol, networkName(network))}
        </span>
      ),
    },
    {
      key: 'free',
      head: free,
      label: free,
      number: true,
      cell: (holding) => (
        <strong>
          <Figure amount={holding.free} decimals={holding.decimals} />
        </strong>
      ),
    },
    {
      key: 'kept',
      head: forSwaps,
      label: forSwaps,
      number: true,
      cell: ({ inSwaps, decimals }) => <Figure amount={inSwaps} decimals={decimals} />,
    },
    {
      key: 'acts',
      head: <span className="sr">{actions}</span>,
      number: true,
      whole: true,
      cell: (holding) =>
        holding.free === '0' ? null : (
          <span className="row end">
            <Button
              kind="quiet"
              size="small"
              name={words.wallets.sendOn(on(holding.symbol, networkName(holding.network)))}
              onPress={() => onSend(holding)}
            >
              {words.wallets.send}
            </Button>
          </span>
        ),
    },
  ];
}
