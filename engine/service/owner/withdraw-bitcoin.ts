import type {
  Withdrawal,
  WithdrawalFees,
  WithdrawalFeesRequest,
  WithdrawRequest,
} from '../../contract/owner/wallets.ts';
import { isRefusal, PortFailure, refuse, type Refusal } from '../../domain/errors.ts';
import { less, lesser, noSats, type Sats } from '../../domain/money.ts';
import { speedNames, withdrawalCeiling, withdrawalSpeeds } from '../../domain/withdrawal-cost.ts';
import { scriptOfAddress } from '../../legs/onchain/address.ts';
import { failedOnchain } from '../../legs/onchain/failures.ts';
import { dustOf } from '../../legs/onchain/size.ts';
import { feeReserveNow } from '../../runtime/networks/onchain/reserve.ts';
import { bitcoinWalletOf } from '../../runtime/ports.ts';
import {
  bitcoinWithdrawal,
  bitcoinWithdrawalEffect,
  type BitcoinWithdrawalTerms,
} from '../../swap/jobs/withdrawal-bitcoin.ts';
import type { ServiceContext } from '../context.ts';
import { beginJob, type BeginAs } from './job.ts';
import { readBtc, type BtcPayment } from './read-btc.ts';

export async function withdrawBitcoin(
  context: ServiceContext,
  request: WithdrawRequest,
  as?: BeginAs,
): Promise<Withdrawal | Refusal> {
  const { networks, runtime } = context;
  const payment = await readRequest(context, request);
  if (isRefusal(payment)) return payment;
  const terms = termsOf(context, payment);
  if (isRefusal(terms)) return terms;
  const answer = await beginJob(
    context,
    {
      machine: bitcoinWithdrawal,
      network: 'bitcoin',
      amount: terms.amount,
      terms,
      progress: { at: 'choosing' },
      effects: [bitcoinWithdrawalEffect(terms)],
    },
    (reason) => `Nothing was sent: ${reason ?? 'no coins fit'}`,
    as,
  );
  runtime.background('reading the networks', () => networks.refresh());
  return answer;
}

/** What a withdrawal would cost now at each speed; nothing is signed, promised or sent. */
export async function bitcoinFees(
  context: ServiceContext,
  request: WithdrawalFeesRequest,
): Promise<WithdrawalFees | Refusal> {
  const fees: WithdrawalFees['fees'] = [];
  for (const speed of speedNames) {
    const payment = await readRequest(context, { ...request, speed });
    const terms = isRefusal(payment) ? payment : termsOf(context, payment);
    const cost = isRefusal(terms) ? terms : await costNow(context, terms);
    if (!isRefusal(cost)) fees.push({ speed, refused: null, ...cost });
    else if (cost.refusal !== 'forbidden') return cost;
    else fees.push({ speed, refused: cost.sentence, rate: null, fee: null, arrives: null });
  }
  return { fees };
}

async function costNow(
  { runtime: { store, ports } }: ServiceContext,
  { script, amount, mostFee, told: ownersWord, within }: BitcoinWithdrawalTerms,
): Promise<{ rate: number; fee: number; arrives: number } | Refusal> {
  try {
    const { rate, fee } = await bitcoinWalletOf(ports).costOfSend({
      script,
      amount,
      reserved: store.transactions.reservedCoins(),
      reserve: feeReserveNow(store),
      doubted: ownersWord !== true,
      ...(mostFee === undefined ? {} : { mostFee }),
      ...(within === undefined ? {} : { within }),
    });
    return { rate, fee: Number(fee), arrives: Number(amount) };
  } catch (cause) {
    if (!(cause instanceof PortFailure) || (cause.retry !== 'never' && !failedOnchain(cause, 'no-coins'))) throw cause;
    return refuse('forbidden', cause.message);
  }
}

/** At its first look a node without an index reads its whole set of coins: nobody waits on a request for that. */
export function unreadWallet({ networks }: ServiceContext): Refusal | null {
  const seen = networks.bitcoinWallet();
  if (seen.state === 'connected') return null;
  if (seen.state === 'absent')
    return refuse('unavailable', 'There is no wallet on bitcoin here: connect the network first.');
  return refuse(
    'unavailable',
    `The coins of the Bitcoin wallet could not be read yet (${seen.detail}): try again in some minutes.`,
  );
}

interface Payment extends BtcPayment<Sats> {
  readonly script: Uint8Array;
  readonly address: string;
  readonly within: Pick<BitcoinWithdrawalTerms, 'within'>;
}

/** What is asked for; of all that there is, as much as could arrive now. */
async function readRequest(
  context: ServiceContext,
  { address, speed = null, ...request }: WithdrawalFeesRequest & Pick<WithdrawRequest, 'speed'>,
): Promise<Payment | Refusal> {
  const { networks, config } = context;
  const payment = readBtc(request);
  if (isRefusal(payment)) return payment;
  const missing = networks.missing('bitcoin') ?? unreadWallet(context);
  if (missing !== null) return missing;
  const script = address === null ? ofHtlc : scriptOfAddress(address, config.network);
  if (script === null)
    return refuse(
      'invalid',
      `address is not a Bitcoin address of ${config.network}: look for a missing or wrong letter, and for the ` +
        'network it was made on.',
    );
  const within = speed === null ? {} : { within: withdrawalSpeeds[speed] };
  const amount = payment.amount === 'all' ? await allOf(context, script, within) : payment.amount;
  return amount === noSats
    ? refuse('forbidden', 'No confirmed free coin is worth its fee: wait for confirmations.')
    : { script, address: address ?? '', amount, maxFee: payment.maxFee, within };
}

/** As long as that of every HTLC (BIP 141): what a payment costs goes by nothing else of its destination. */
const ofHtlc = new Uint8Array(34).fill(0x20, 1, 2).fill(0x51, 0, 1);

/** Judged in the turn in which it is promised: of two at once the second finds what the first one left. */
function termsOf(
  { networks, config }: ServiceContext,
  { script, address, amount, maxFee, within }: Payment,
): BitcoinWithdrawalTerms | Refusal {
  if (amount < dustOf(script))
    return refuse(
      'invalid',
      `amount is ${amount} sats, the least that is relayed to this address is ${dustOf(script)}: send more.`,
    );
  const { total: floor } = networks.feeReserve();
  const free = less(networks.bitcoinFree(), floor);
  if (amount > free)
    return refuse(
      'forbidden',
      `amount is ${amount} sats; ${free} are confirmed and ` +
        `free${floor === noSats ? '' : `, beside ${floor} for fees of what is open`}: send less, or wait for ` +
        'confirmations.',
    );
  const cost =
    maxFee === null
      ? { mostFee: withdrawalCeiling(amount, config.ceilings) }
      : { mostFee: maxFee, told: true as const };
  return { script, address, amount, ...cost, ...within };
}

/** What is free of promises and of what is kept for fees, less the fee of now: nothing of it comes back. */
async function allOf(
  { networks, runtime: { store, ports } }: ServiceContext,
  script: Uint8Array,
  within: Pick<BitcoinWithdrawalTerms, 'within'>,
): Promise<Sats> {
  const most = await bitcoinWalletOf(ports).mostSendable({
    script,
    reserved: store.transactions.reservedCoins(),
    reserve: feeReserveNow(store),
    ...within,
  });
  return lesser(most, less(networks.bitcoinFree(), networks.feeReserve().total));
}
