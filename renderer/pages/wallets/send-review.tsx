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
import { useCeilings } from './use-ceilings.ts';

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
  onSend: (more: { readonly speed?: WithdrawalSpeed }) => void;
}) {
  const cost = ceilingText(holding.network, read, holding.free, useCeilings());
  const speeds = useSpeeds(holding, read);
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
            notYet={speeds.refused}
            onPress={() => onSend(hasSpeeds(holding) ? { speed: speeds.chosen } : {})}
          >
            {words.wallets.sendNow(read.amount === 'all' ? words.wallets.all.toLowerCase() : shown(read.amount))}
          </Button>
        </>
      }
    >
      <p className="fig num">{read.amount === 'all' ? words.wallets.all : shown(read.amount)}</p>
      <div>
        <p className="label">{words.wallets.to}</p>
        <Address text={read.address} group={read.address.length > 80 ? 8 : 4} />
      </div>
      {hasSpeeds(holding) ? <Speeds {...speeds} all={read.amount === 'all'} /> : null}
      {cost === null ? null : <p>{cost}</p>}
      {holding.mostGas === null ? null : (
        <p>
          {words.wallets.gasAtMost(
            amountText({ amount: holding.mostGas, decimals: 18, symbol: words.wallets.gasCoin(holding.network) }),
          )}
        </p>
      )}
      <Note tone="need">{words.wallets.reviewMeans}</Note>
    </Dialog>
  );
}
