import { useState } from 'react';
import type { WalletAccount } from '../../../engine/contract/owner/accounts.ts';
import { amountText, figureText } from '../../format/amount.ts';
import { networkName } from '../../format/networks.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { useReading } from '../../stores/reading.ts';
import { client, useRecords } from '../../stores/records.ts';
import { troubleText } from '../../stores/trouble.ts';
import { boardWords } from '../../words/board-words.ts';
import type { Holdings } from '../wallets/use-holdings.ts';

const everySeconds = 10;

/** Accounts of the books that differ from their networks, each with the way to write the difference off. */
export function Differences({ holdings }: Pick<Holdings, 'holdings'>) {
  const [looks, setLooks] = useState(0);
  const { value } = useReading(`accounts ${looks}`, () => client().call('ownerAccounts'), everySeconds);
  const apart = (value?.wallets ?? []).filter(({ alarm }) => alarm);
  return apart.map((wallet) => (
    <Difference
      key={`${wallet.network} ${wallet.asset} ${wallet.account}`}
      wallet={wallet}
      holdings={holdings}
      onWritten={() => setLooks(looks + 1)}
    />
  ));
}

function Difference({
  wallet: { network, asset, account, books, seen, difference },
  holdings,
  onWritten,
}: Pick<Holdings, 'holdings'> & { wallet: WalletAccount; onWritten: () => void }) {
  const [asks, setAsks] = useState(false);
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  const text = (units: string | null): string => {
    const [whole = '', fraction] = (units ?? '').replace('-', '').split('.');
    const sign = units?.startsWith('-') === true ? '−' : '';
    if (asset === 'btc')
      return boardWords.sats(`${sign}${figureText(whole, 0)}${fraction === undefined ? '' : `.${fraction}`}`);
    const holding = holdings?.find((one) => one.network === network && one.asset.toLowerCase() === asset.toLowerCase());
    const { decimals = 0, symbol = boardWords.units } = holding ?? {};
    return `${sign}${amountText({ amount: whole, decimals, symbol })}`;
  };
  const name = account === 'chain-wallet' ? boardWords.onTheChain(networkName(network)) : networkName(network);
  const by = text((difference ?? '').replace('-', ''));
  const sentence = difference?.startsWith('-') === true ? boardWords.isLess(by) : boardWords.isMore(by);
  const write = async () => {
    setBusy(true);
    setTrouble(null);
    try {
      await client().call('writeOff', { body: { network, asset, account, reason: reason.trim() } });
      setAsks(false);
      onWritten();
      void useRecords.getState().look();
    } catch (error) {
      setTrouble(troubleText(error));
    }
    setBusy(false);
  };
  return (
    <div className="mb-6">
      <Note
        tone="danger"
        title={boardWords.booksDiffer(name)}
        actions={<Button onPress={() => setAsks(true)}>{boardWords.writeOff}</Button>}
        alert
      >
        {boardWords.bothSay(text(books), text(seen))} {sentence} {boardWords.differMeans}
      </Note>
      <Dialog
        open={asks}
        onClose={() => setAsks(false)}
        title={boardWords.writeOffTitle(by, name)}
        actions={
          <>
            <Button onPress={() => setAsks(false)}>{boardWords.leaveIt}</Button>
            <Button
              kind="main"
              busy={busy}
              notYet={reason.trim() === '' ? boardWords.needReason : null}
              onPress={() => void write()}
            >
              {boardWords.writeOffNow}
            </Button>
          </>
        }
      >
        {trouble === null ? null : (
          <Note tone="need" alert>
            {trouble}
          </Note>
        )}
        <p>{boardWords.writeOffMeans}</p>
        <TextField label={boardWords.reason} value={reason} onText={setReason} autoComplete="off" />
      </Dialog>
    </div>
  );
}
