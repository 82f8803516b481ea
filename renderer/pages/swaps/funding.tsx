import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { amountText, figureText, shown } from '../../format/amount.ts';
import { networkName } from '../../format/networks.ts';
import { plainText } from '../../format/plain.ts';
import { sidesOf } from '../../format/sides.ts';
import { Address, CopyButton } from '../../parts/address.tsx';
import { ButtonLink } from '../../parts/button.tsx';
import { Countdown } from '../../parts/countdown.tsx';
import { GoesTo } from '../../parts/destination.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Note, Promised } from '../../parts/note.tsx';
import { Qr } from '../../parts/qr.tsx';
import { Status } from '../../parts/status.tsx';
import { useClock } from '../../stores/now.ts';
import { useReached } from '../../stores/reached.ts';
import { useRecords } from '../../stores/records.ts';
import { hrefTo } from '../../stores/route.ts';
import { words } from '../../words/words.ts';
import { Fiat } from '../display/shown.tsx';
import { Cancel } from './cancel.tsx';
import type { Pay } from './pay.ts';
import { SandboxPay } from './sandbox-pay.tsx';
import { SwapHead } from './swap-head.tsx';
import { SwapSteps } from './swap-steps.tsx';
import { WalletPay } from './wallet-pay.tsx';

/** How much, where to, until when, and that it comes back. */
export function Funding({ swap, pay }: { swap: TakerSwap; pay: Pay }) {
  const sides = sidesOf(swap);
  const clock = useClock();
  const unseen = useUnseen(swap);
  const tooLate = pay.until !== null && clock >= pay.until;
  return (
    <>
      <SwapHead
        swap={swap}
        title={
          tooLate
            ? words.oneSwap.notInTime
            : lacks(swap)
              ? words.oneSwap.notLockedYet(sides.give)
              : words.oneSwap.stepHeadings.pay(sides)
        }
      >
        {pay.until === null ? null : <TimeToPay from={swap.created} until={pay.until} />}
      </SwapHead>
      <Lacking swap={swap} />
      {tooLate ? (
        <TooLate />
      ) : unseen !== null ? (
        <Note tone="need" alert title={words.oneSwap.notNow}>
          {unseen}
        </Note>
      ) : lacks(swap) ? (
        <div className="panel">
          <Where pay={pay} />
        </div>
      ) : (
        <PayPanel swap={swap} pay={pay} />
      )}
      <section className="section" aria-labelledby="next">
        <h2 id="next">{words.oneSwap.next}</h2>
        <div className="mt-4">
          <SwapSteps swap={swap} ifStops />
        </div>
      </section>
    </>
  );
}

/** Why nobody would see a payment now; null where it shows at once. */
function useUnseen({ give, get }: TakerSwap): string | null {
  const reached = useReached();
  const networks = useRecords((state) => state.status?.networks) ?? [];
  if (!reached) return words.oneSwap.unseenByNode;
  const away = networks.filter(
    ({ name, state }) => state === 'away' && (name === give.network || name === get.network),
  );
  // A Lightning payment is seen by the provider, and what it is for by us.
  const needed = away.filter(({ name }) => name !== 'lightning');
  return needed.length === 0 ? null : words.oneSwap.unseenOn(needed.map(({ name }) => networkName(name)));
}

/** Nothing that could still be paid by mistake: no code, no address, no button. */
function TooLate() {
  return (
    <Note
      tone="need"
      title={words.oneSwap.overTime}
      actions={
        <ButtonLink kind="main" icon="swap" href={hrefTo('swap')}>
          {words.oneSwap.again}
        </ButtonLink>
      }
    >
      {words.oneSwap.overTimeMeans}
    </Note>
  );
}

function PayPanel({ swap, pay }: { swap: TakerSwap; pay: Pay }) {
  const sandbox = useRecords((state) => state.sandbox !== null);
  return (
    <>
      <div className="panel pay">
        <div>
          <Qr text={pay.uri} label={words.oneSwap.qr[pay.kind]} />
          <p className="hint mt-2 text-center">
            {pay.kind === 'invoice' ? words.oneSwap.qrHint.invoice : words.oneSwap.qrHint.other}
          </p>
        </div>
        <div className="stack">
          <Exactly swap={swap} pay={pay} />
          {pay.kind === 'invoice' ? null : <Note tone="need">{words.oneSwap.onePayment[pay.kind]}</Note>}
          <Where pay={pay} />
          {pay.own_wallet ? <WalletPay swap={swap} pay={pay} /> : null}
          <div className="row">
            {sandbox ? <SandboxPay swap={swap} pay={pay} /> : null}
            <ButtonLink href={pay.uri} icon="out">
              {words.oneSwap.openWallet}
            </ButtonLink>
          </div>
          <GoesTo swap={swap} />
          <OncePaid swap={swap} />
        </div>
      </div>
      <div className="row apart mt-5">
        <p role="status">
          <Status tone="wait">{words.oneSwap.watching}</Status>
        </p>
        <Cancel swap={swap} />
      </div>
    </>
  );
}

/** It came, and could not be locked: nothing is wanted any more but what the account may lack. */
function lacks({ reason }: TakerSwap): boolean {
  return reason === 'not-locked';
}

/**
 * Why what was paid does not go on yet. What is said to be lacking is this node's own word; of anything else the
 * sentence is ours.
 */
function Lacking({ swap }: { swap: TakerSwap }) {
  const { reason, detail } = swap;
  return reason === null ? null : (
    <div className="mb-5">
      <Note tone="need" alert title={words.oneSwap.reasons[reason]}>
        {detail === null || !lacks(swap) ? null : plainText(detail)}
      </Note>
    </div>
  );
}

function TimeToPay({ from, until }: { from: number; until: number }) {
  const clock = useClock();
  const left = until - clock;
  const share = Math.min(1, Math.max(0, left / Math.max(1, until - from)));
  return (
    <div className="min-w-60">
      <p className="row apart">
        <span className="sub">{words.oneSwap.timeLeft}</span>
        <strong>
          <Countdown left={left} over={words.oneSwap.noTime} />
        </strong>
      </p>
      <div className="timebar mt-1" aria-hidden="true">
        <i style={{ width: `${share * 100}%` }} />
      </div>
      <p className="hint mt-1">
        {words.oneSwap.until} <Moment at={until} />
      </p>
    </div>
  );
}

function Exactly({ swap, pay }: { swap: TakerSwap; pay: Pay }) {
  const give = shown(swap.give);
  return (
    <div>
      <p className="label">{words.oneSwap.exactly}</p>
      <div className="row apart">
        <p className="fig">
          {figureText(pay.amount, give.decimals)} <small>{give.symbol}</small>
        </p>
        <CopyButton text={pay.amount} thing={amountText({ ...give, amount: pay.amount })}>
          {words.oneSwap.copyAmount}
        </CopyButton>
      </div>
      {give.symbol === 'sats' ? (
        <p className="hint num">
          {words.oneSwap.asBtc(figureText(pay.amount, 8))} <Fiat sats={pay.amount} />
        </p>
      ) : null}
    </div>
  );
}

function Where({ pay }: { pay: Pay }) {
  return (
    <div>
      <div className="row apart">
        <span className="label">{words.oneSwap.to[pay.kind]}</span>
        <CopyButton text={pay.text} thing={words.oneSwap.to[pay.kind]}>
          {words.oneSwap.copyPay[pay.kind]}
        </CopyButton>
      </div>
      {pay.kind === 'invoice' ? (
        <p className="mono sub max-h-24 overflow-auto break-all" data-testid="pay-text" tabIndex={0}>
          {pay.text}
        </p>
      ) : (
        <>
          <div data-testid="pay-text">
            <Address text={pay.text} />
          </div>
          <p className="hint mt-1">{words.oneSwap.compare}</p>
        </>
      )}
    </div>
  );
}

function OncePaid({ swap: { times } }: { swap: TakerSwap }) {
  const alone = times.refund_alone_from;
  if (alone === null) return <Promised>{words.oneSwap.oncePaidReturns}</Promised>;
  return (
    <Promised>
      {words.oneSwap.oncePaid}{' '}
      <strong>
        <Moment at={alone} />
      </strong>{' '}
      {words.oneSwap.alone}
    </Promised>
  );
}
