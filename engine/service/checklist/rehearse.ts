import { setTimeout as sleep } from 'node:timers/promises';
import type { TakerService } from '../../api/service.ts';
import type { Rehearsal, RehearsalRequest } from '../../contract/owner/checklist.ts';
import type { TakerSwapRequest } from '../../contract/taker.ts';
import { chainIdOf, takerInvoices } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { invoiceSats } from '../../legs/lightning/invoice.ts';
import type { ServiceContext } from '../context.ts';
import { namesChain, type Direction } from '../directions/direction.ts';
import { eachPair } from '../limits/limits.ts';
import { addressOf } from '../taker/account-holdings.ts';
import { rehearsalAmount } from './rehearsal-amount.ts';

/** How long the record may take that says where to pay. */
const recordMs = 10_000;
const lookMs = 100;

/**
 * Swaps a small amount with the node itself, and pays for it where a wallet here can: the way of a stranger, through
 * the same checks. What no wallet here can pay, and an invoice of another wallet, are left to the owner.
 */
export async function rehearse(
  context: ServiceContext,
  taker: TakerService,
  request: RehearsalRequest,
): Promise<Rehearsal | Refusal> {
  const pair = eachPair(context).find(
    ({ name, evm }) => name === request.direction && chainOf(evm) === request.chainId,
  );
  if (pair === undefined) return unknownPair(request);
  const order = orderOf(context, pair, request);
  if (isRefusal(order)) return order;
  const opened = await taker.create(order);
  if (isRefusal(opened)) return opened;
  const payable = await whereToPay(taker, opened.id);
  const paid = payable ? await taker.pay(opened.id) : null;
  return { id: opened.id, amount_sats: Number(order.amount), paid: paid !== null && !isRefusal(paid) };
}

function chainOf(evm: Direction['evm']): number | null {
  return evm === null ? null : chainIdOf(evm);
}

function unknownPair({ direction, chainId }: RehearsalRequest): Refusal {
  return direction.split('-').includes('evm') && chainId === null
    ? refuse('invalid', `evm_chain_id is missing: ${direction} is swapped on one EVM chain.`)
    : refuse('invalid', `${direction} is not among the pairs of this node: GET /owner/checklist lists them.`);
}

function orderOf(
  context: ServiceContext,
  pair: Direction,
  { direction, invoice }: RehearsalRequest,
): TakerSwapRequest | Refusal {
  const small = rehearsalAmount(context, pair);
  if (isRefusal(small)) return small;
  if (takerInvoices[direction] === 'owner' && invoice === null)
    return refuse('invalid', 'invoice is missing: make one in another Lightning wallet, for a node cannot pay itself.');
  // What an invoice asks for is what is swapped.
  const read = invoice === null ? null : context.decodeInvoice(invoice);
  const amount = read === null ? small : isRefusal(read) ? read : invoiceSats(read);
  if (isRefusal(amount)) return amount;
  // The node's own account is refused as anybody's destination; that of its owner's swaps is another one.
  const to = pair.target === 'evm' ? addressOf(context) : null;
  return {
    direction,
    amount,
    invoice,
    ...(pair.evm === null || !namesChain(pair)
      ? {}
      : { evm: { chainId: chainIdOf(pair.evm), token: null, destination: to, gasless: true } }),
    provider: '',
  };
}

/** Whether the swap came to where it is paid, and a wallet of the node can do that. */
async function whereToPay(taker: TakerService, id: string): Promise<boolean> {
  const until = performance.now() + recordMs;
  for (let swap = taker.swap(id); performance.now() < until; swap = taker.swap(id)) {
    if (swap === null || !swap.open) return false;
    if (swap.phase === 'pay' && swap.pay !== null) return swap.pay.own_wallet;
    await sleep(lookMs);
  }
  return false;
}
