import type { WithdrawalSpeed } from '../../../engine/domain/withdrawal-cost.ts';
import { amountText } from '../../format/amount.ts';
import { Address } from '../../parts/address.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Note } from '../../parts/note.tsx';
import { words } from '../../words/words.ts';
import type { Holding } from './holdings.ts';
import { ceilingText, type ReadySend } from './send-form.ts';
import { hasSpeeds, Speeds, useSpeeds } from './send-speeds.tsx';
import { useCoinGas } from './use-coin-gas.ts';
import { useCeilings } from './use-ceilings.ts';

/** What the review adds: how soon, and of the coin that pays for gas how much, where all of it is sent. */
export interface SendMore {
  readonly speed?: WithdrawalSpeed;
  readonly amount?: string;
}

/** The same once more to look over, how soon it is to arrive, and the last press. */
export function SendReview({
  read,
  holding,
  shown,
  busy,
  onClose,
  onBack,
  onSend,
}: {
  read: ReadySend;
  holding: Holding;
  shown: (amount: string) => string;
  busy: boolean;
  onClose: () => void;
  onBack: () => void;
  onSend: (more: SendMore) => void;
}) {
  const cost = ceilingText(holding.network, read, holding.free, useCeilings());
  const speeds = useSpeeds(holding, read);
  const coin = useCoinGas(holding, read);
  const mostGas = coin.mostGas ?? holding.mostGas;
  const amount = coin.amount ?? read.amount;
  const what = amount === 'all' ? words.wallets.all : shown(amount);
  return (
    <Dialog
      open
      onClose={busy ? () => undefined : onClose}
      title={words.wallets.reviewTitle}
      actions={
        <>
          <Button onPress={onBack}>{words.wallets.back}</Button>
          <Button
            kind="main"
            busy={busy}
            notYet={speeds.refused ?? coin.notYet}
            onPress={() =>
              onSend({
                ...(hasSpeeds(holding) ? { speed: speeds.chosen } : {}),
                ...(coin.amount === null ? {} : { amount: coin.amount }),
              })
            }
          >
            {words.wallets.sendNow(amount === 'all' ? what.toLowerCase() : what)}
          </Button>
        </>
      }
    >
      <p className="fig num">{what}</p>
      <div>
        <p className="label">{words.wallets.to}</p>
        <Address text={read.address} group={read.address.length > 80 ? 8 : 4} />
      </div>
      {hasSpeeds(holding) ? <Speeds {...speeds} all={read.amount === 'all'} /> : null}
      {cost === null ? null : <p>{cost}</p>}
      {mostGas === null ? null : (
        <p>
          {words.wallets.gasAtMost(
            amountText({ amount: mostGas, decimals: 18, symbol: words.wallets.gasCoin(holding.network) }),
          )}
        </p>
      )}
      {coin.trouble === null ? null : (
        <Note tone="need" title={words.wallets.feesUnknown}>
          {coin.trouble}
        </Note>
      )}
      <Note tone="need">{words.wallets.reviewMeans}</Note>
    </Dialog>
  );
}
