import { checksummed } from '../../../domain/evm-address.ts';
import { PortFailure } from '../../../domain/errors.ts';
import { nativeCoin, type EvmAddress } from '../../../domain/evm.ts';
import type { Txid } from '../../../domain/outpoint.ts';
import { hasPassed } from '../../../domain/time.ts';
import type { EvmPurpose } from '../../../legs/evm/acts.ts';
import { payCall } from '../../../legs/evm/calls.ts';
import { coinText } from '../../../legs/evm/coin-text.ts';
import type { EvmForwardEffect } from '../../../legs/evm/effects.ts';
import type { EvmReceipt, GasFees, SignedTransaction } from '../../../legs/evm/port.ts';
import type { Store } from '../../../store/store.ts';
import { NotYet } from '../../not-yet.ts';
import { evmOf, takerAccountsOf } from '../../ports.ts';
import { within, type Acts } from '../act.ts';
import type { EvmContext } from './context.ts';
import { dearer, priceOf, raised } from './gas.ts';
import { handOver, onTheWayOf, placeOf, signedByTaker, type AccountTransaction } from './taker-account.ts';

type Prepare = Extract<EvmForwardEffect, { do: 'evm.forward' }>;
type Send = Extract<EvmForwardEffect, { do: 'evm.forward-send' }>;

const purpose = 'taker-pay' as const satisfies EvmPurpose;
const isCoin = (token: EvmAddress): boolean => token.every((byte) => byte === 0);
/** Seconds after which one that waits is signed anew with a better price. */
const patience = 120;
/**
 * Looks, five seconds apart, for what used the place of a transaction: an RPC may know of it before it has the receipt.
 */
const lastLooks = 24;

function partsOf({ network, key }: EvmForwardEffect, { ports }: EvmContext) {
  const port = evmOf(ports, network);
  const accounts = takerAccountsOf(ports);
  return { port, accounts, account: accounts.accountOf(key) };
}

/**
 * One transaction for the whole job, whatever happens: its place in the account's order is chosen here and never again.
 */
function prepare(effect: Prepare, context: EvmContext): Promise<void> {
  const { network, key, token, amount, gas, mostWei } = effect;
  const { port, accounts, account } = partsOf(effect, context);
  const refused = (reason: string): void => context.answer({ is: 'evm.refused', purpose, reason });
  // One at a time: an approval for a swap has the same account, and would sign for the same place in its order.
  return context.alone(network, async () => {
    const of = { network, key, accounts, store: context.store };
    const nonce = await placeOf(port, account, of);
    const all = ([purpose, 'taker-approve'] as const).flatMap((each) => onTheWayOf(each, of));
    if (all.some(({ transaction }) => transaction.nonce >= nonce))
      throw new NotYet(1, 'another transaction of the account is on its way');
    const fees = await port.gasFees();
    if (priceOf(fees) * gas > mostWei)
      return refused(
        `gas costs up to ${coinText(priceOf(fees) * gas)} of the coin by now, and at most ${coinText(mostWei)} ` +
          'was agreed',
      );
    const [held, coins] = [await port.sureBalance(token, account), await port.sureBalance(nativeCoin, account)];
    const needed = priceOf(fees) * gas + (isCoin(token) ? amount : 0n);
    if (held < amount || coins < needed)
      return refused(`the account ${checksummed(account)} does not hold what it takes any more`);
    const signed = signedByTaker({ ...payCall(effect), nonce, gas, fees }, network, key, accounts);
    await context.together(() =>
      context.answer(
        { is: 'evm.prepared', purpose, txid: signed.txid },
        { prepared: saving(effect, signed, null, context) },
      ),
    );
  });
}

function saving(
  { network }: EvmForwardEffect,
  { txid, bytes }: SignedTransaction,
  replaces: Txid | null,
  { row: { subject } }: EvmContext,
): (store: Pick<Store, 'transactions'>, now: number) => void {
  const asset = `0x${'0'.repeat(40)}` as const;
  return (store, now) =>
    store.transactions.insert({ txid, network, asset, subject, leg: 'evm', purpose, bytes, inputs: [], replaces }, now);
}

/** Its variants, the one that was signed last at the end: each stands in the place of the one before. */
function variantsOf(effect: Send, { accounts }: ReturnType<typeof partsOf>, context: EvmContext) {
  const { network, key } = effect;
  const { store, row } = context;
  return onTheWayOf(purpose, { network, key, accounts, store }).filter(({ subject }) => subject === row.subject);
}

async function send(effect: Send, context: EvmContext): Promise<void> {
  const parts = partsOf(effect, context);
  const { port, account } = parts;
  const variants = variantsOf(effect, parts, context);
  const [first, latest] = [variants[0], variants.at(-1)];
  if (first === undefined || latest === undefined) throw new NotYet(null, 'what was signed is not there', true);
  // In this order: what is mined between the two questions is never taken for missing at the first look.
  const { mined: count, alone } = await port.minedOf(account);
  const used = alone !== true && count > latest.transaction.nonce;
  const failures: PortFailure[] = [];
  for (const variant of variants) {
    const receipt = await port.receipt(variant.txid, { agreed: true }).catch((cause: unknown) => {
      if (!(cause instanceof PortFailure)) throw cause;
      failures.push(cause);
      return null;
    });
    if (receipt !== null) return mined({ first, variant, receipt }, { effect, variants, context, port });
  }
  if (!used) return again(latest, failures, effect, context);
  if (failures[0] !== undefined) throw failures[0];
  if (effect.lastLook && context.row.attempts < lastLooks)
    throw new NotYet(5, 'its place in the order of the account was used, and by what is not seen yet');
  const end = (store: Store, now: number): void => {
    if (effect.lastLook) for (const { txid } of variants) store.transactions.close(txid, 'dead', now);
  };
  context.answer({ is: 'evm.sent', purpose, txid: first.txid, state: { is: 'gone' } }, { ifMoved: end });
}

async function mined(
  { first, variant, receipt }: { first: AccountTransaction; variant: AccountTransaction; receipt: EvmReceipt },
  of: {
    readonly effect: Send;
    readonly variants: readonly AccountTransaction[];
    readonly context: EvmContext;
    readonly port: ReturnType<typeof partsOf>['port'];
  },
): Promise<void> {
  const confirmations = (await of.port.tip()).height - receipt.height + 1;
  if (confirmations < of.effect.confirmations)
    throw new NotYet(5, `${confirmations} of ${of.effect.confirmations} blocks stand on it`);
  const { ok, cost } = receipt;
  of.context.answer(
    {
      is: 'evm.sent',
      purpose,
      txid: first.txid,
      state: { is: 'mined', by: variant.txid, ok, cost, confirmations },
    },
    {
      ifMoved(store, now) {
        for (const { txid } of of.variants) {
          // Its bytes say which place of the account is used.
          if (txid === variant.txid) store.transactions.finish(txid, now);
          else store.transactions.close(txid, 'dead', now);
          of.context.taken.forget(txid);
        }
      },
    },
  );
}

/**
 * The same bytes, or after a while the same transaction at a better price: of the two the chain takes one. `failures`:
 * why nobody says that none is mined; what may be is handed over all the same, and never given up (facts/faults.md
 * 322).
 */
async function again(
  latest: AccountTransaction,
  failures: readonly PortFailure[],
  effect: Send,
  context: EvmContext,
): Promise<void> {
  const parts = partsOf(effect, context);
  const { port, account } = parts;
  const waitsLong = hasPassed(patience, latest.createdAt, context.clock.now().wall);
  const dear = waitsLong ? await raisedFees(latest, effect, context) : null;
  if (dear !== null) signAgain(latest, dear, effect, context);
  const handed = await handOver(variantsOf(effect, parts, context), account, { port, context });
  if (handed.is === 'waits') throw new NotYet(1, 'it waits to be mined');
  if (failures[0] !== undefined) throw failures[0];
  if (handed.lacking !== null) return givenUp(effect, context);
  throw new NotYet(null, `it is not taken: ${handed.reason}`, true);
}

/** The next one is signed for the same place: of the two the chain takes one, whoever may have these bytes. */
function givenUp(effect: Send, context: EvmContext): void {
  const parts = partsOf(effect, context);
  const { account } = parts;
  const variants = variantsOf(effect, parts, context);
  const reason =
    `no node takes it, for the account ${checksummed(account)} does not hold what it takes: look at what the account ` +
    'holds before it is sent again';
  const end = (store: Store, now: number): void => {
    for (const { txid } of variants) {
      store.transactions.close(txid, 'dead', now);
      context.taken.forget(txid);
    }
  };
  context.answer({ is: 'evm.refused', purpose, reason }, { ifMoved: end });
}

/** Null where more may not be spent, or is not there. */
async function raisedFees(
  { transaction: { fees } }: AccountTransaction,
  effect: Send,
  context: EvmContext,
): Promise<GasFees | null> {
  const { port, account } = partsOf(effect, context);
  const better = dearer(raised(fees), await port.gasFees());
  const cost = priceOf(better) * effect.gas;
  const needed = cost + (isCoin(effect.token) ? effect.amount : 0n);
  return cost <= effect.mostWei && (await port.sureBalance(nativeCoin, account)) >= needed ? better : null;
}

function signAgain(latest: AccountTransaction, fees: GasFees, effect: Send, context: EvmContext): void {
  const { accounts } = partsOf(effect, context);
  const { store, clock } = context;
  const signed = signedByTaker({ ...latest.transaction, fees }, effect.network, effect.key, accounts);
  saving(effect, signed, latest.txid, context)(store, clock.now().wall);
}

const on = within('evm');

export const forwardActs: Acts<EvmForwardEffect, 'evm'> = {
  'evm.forward': { run: on(prepare), lane: ({ network }) => ({ side: network, begins: true }) },
  'evm.forward-send': { run: on(send), lane: ({ network }) => ({ side: network, begins: false }) },
};
