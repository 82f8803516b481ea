import { useState } from 'react';
import { figureText } from '../../format/amount.ts';
import { momentText } from '../../format/moment.ts';
import { networkIcon, networkName } from '../../format/networks.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Empty, Loading } from '../../parts/empty.tsx';
import { Figure } from '../../parts/figure.tsx';
import { FoldTable, type Column } from '../../parts/fold-table.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Note } from '../../parts/note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useRecords } from '../../stores/records.ts';
import { hrefTo } from '../../stores/route.ts';
import { words } from '../../words/words.ts';
import { Fiat, PriceOfBitcoin } from '../display/shown.tsx';
import { satsOf, type Holding } from './holdings.ts';
import { LeaveArkade } from './leave-arkade.tsx';
import { ReceiveDialog } from './receive-dialog.tsx';
import { SendDialog } from './send-dialog.tsx';
import { SwapAccount } from './swap-account.tsx';
import { useHoldings, useSwapAccounts } from './use-holdings.ts';

/** What is there, where, and the ways in and out. */
export function WalletsPage() {
  const { holdings, trouble } = useHoldings();
  const ofFrame = useRecords((state) => state.trouble);
  // For an operator that is gone: whether or not it says what lies there.
  const withArkade = useRecords(
    ({ status }) => status?.networks.some(({ name, state }) => name === 'arkade' && state !== 'absent') ?? false,
  );
  return (
    <>
      <PageHead title={words.wallets.title} lead={words.wallets.lead} />
      {trouble === null || trouble === ofFrame ? null : (
        <Note tone="need" alert>
          {trouble}
        </Note>
      )}
      {holdings === null ? (
        trouble === null ? (
          <Loading rows={6} />
        ) : null
      ) : holdings.length === 0 ? (
        <Empty
          icon="wallet"
          title={words.wallets.none}
          action={<ButtonLink href={hrefTo('settings')}>{words.wallets.toSettings}</ButtonLink>}
        >
          {words.wallets.noneMeans}
        </Empty>
      ) : (
        <Holdings holdings={holdings} />
      )}
      {withArkade ? <LeaveArkade holding={holdings?.find(({ network }) => network === 'arkade') ?? null} /> : null}
    </>
  );
}

interface Request {
  readonly what: 'receive' | 'send';
  readonly holding: Holding;
}

function Holdings({ holdings }: { holdings: readonly Holding[] }) {
  const [request, setRequest] = useState<Request | null>(null);
  const bitcoin = holdings.filter(({ asset }) => asset === 'btc');
  const chains = [...new Set(holdings.filter(({ asset }) => asset !== 'btc').map(({ network }) => network))];
  const accounts = useSwapAccounts();
  const close = () => setRequest(null);
  return (
    <>
      <Figures holdings={holdings} />
      <PriceOfBitcoin />
      <section className="section" aria-labelledby="w-bitcoin">
        <h2 id="w-bitcoin">{words.wallets.bitcoin}</h2>
        <FoldTable
          className="holdings"
          caption={words.wallets.bitcoinCaption}
          columns={columns(setRequest)}
          rows={bitcoin}
          keyOf={keyOf}
        />
        {bitcoin.some(({ network }) => network === 'lightning') ? null : (
          <p className="sub mt-3">
            <Icon name="bolt" /> {words.wallets.noLightning}
          </p>
        )}
      </section>
      {chains.map((chain) => (
        <section className="section" key={chain} aria-label={networkName(chain)}>
          <h2>{networkName(chain)}</h2>
          <FoldTable
            className="holdings"
            caption={words.wallets.tokensCaption(networkName(chain))}
            columns={columns(setRequest)}
            rows={holdings.filter(({ network }) => network === chain)}
            keyOf={keyOf}
          />
        </section>
      ))}
      {accounts === null ? null : (
        <SwapAccount accounts={accounts} onSend={(holding) => setRequest({ what: 'send', holding })} />
      )}
      {request?.what === 'receive' ? <ReceiveDialog holding={request.holding} onClose={close} /> : null}
      {request?.what === 'send' ? <SendDialog holding={request.holding} onClose={close} /> : null}
    </>
  );
}

function Figures({ holdings }: { holdings: readonly Holding[] }) {
  const figures = [
    [words.wallets.free, 'free'],
    [words.wallets.inSwaps, 'inSwaps'],
    [words.wallets.underWay, 'underWay'],
  ] as const;
  const away = satsOf(holdings, 'away');
  return (
    <dl className="figs">
      {figures.map(([label, part]) => (
        <div key={part}>
          <dt>{label}</dt>
          <dd className="fig">
            {figureText(satsOf(holdings, part), 0)} <small>sats</small>
          </dd>
          <dd>
            <Fiat sats={satsOf(holdings, part)} />
          </dd>
          {part === 'free' && away !== '0' ? (
            <dd className="sub num">{words.wallets.awayBeside(figureText(away, 0))}</dd>
          ) : null}
        </div>
      ))}
    </dl>
  );
}

function columns(ask: (request: Request) => void): readonly Column<Holding>[] {
  const { free, inSwaps, underWay, asset, actions } = words.wallets;
  const figure = (part: 'free' | 'inSwaps' | 'underWay') => (holding: Holding) => (
    <Figure amount={holding[part]} decimals={holding.decimals} />
  );
  return [
    { key: 'asset', head: asset, rowHead: true, whole: true, cell: (holding) => <AssetName holding={holding} /> },
    {
      key: 'free',
      head: free,
      label: free,
      number: true,
      cell: (holding) => (
        <>
          <strong>{figure('free')(holding)}</strong>
          {holding.asset === 'btc' ? <Fiat sats={holding.free} /> : null}
          {holding.feeReserve === null ? null : (
            <span className="sub">{words.wallets.feeReserve(figureText(holding.feeReserve, 0))}</span>
          )}
        </>
      ),
    },
    { key: 'inSwaps', head: inSwaps, label: inSwaps, number: true, cell: figure('inSwaps') },
    { key: 'underWay', head: underWay, label: underWay, number: true, cell: figure('underWay') },
    {
      key: 'acts',
      head: <span className="sr">{actions}</span>,
      number: true,
      whole: true,
      cell: (holding) => <Acts holding={holding} ask={ask} />,
    },
  ];
}

function AssetName({ holding: { network, asset, symbol, readable, gas, asOf } }: { holding: Holding }) {
  const means = !readable
    ? words.wallets.unknownUnits
    : gas
      ? words.wallets.gasMeans
      : (words.wallets.means[network] ?? <span className="mono">{`${asset.slice(0, 6)}…${asset.slice(-4)}`}</span>);
  return (
    <>
      <span className="st">
        <Icon name={networkIcon(network)} />
        {asset === 'btc' ? words.wallets.on(symbol, networkName(network)) : symbol}
      </span>
      <span className="sub">{means}</span>
      {asOf === null ? null : <span className="sub need">{words.wallets.asOf(momentText(asOf), network)}</span>}
    </>
  );
}

function Acts({ holding, ask }: { holding: Holding; ask: (request: Request) => void }) {
  const what = words.wallets.on(holding.symbol, networkName(holding.network));
  const { receive, send, actOn } = words.wallets;
  if (holding.asOf !== null) return null;
  const act = (name: string, press: Request['what']) => (
    <Button kind="quiet" size="small" name={actOn(name, what)} onPress={() => ask({ what: press, holding })}>
      {name}
    </Button>
  );
  return (
    <span className="row end flex-nowrap">
      {act(receive, 'receive')}
      {act(send, 'send')}
    </span>
  );
}

function keyOf({ network, asset }: Holding): string {
  return `${network} ${asset}`;
}
