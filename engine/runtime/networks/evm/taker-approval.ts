import type { EvmNetwork } from '../../../domain/chain.ts';
import { checksummed } from '../../../domain/evm-address.ts';
import { nativeCoin, type EvmAddress } from '../../../domain/evm.ts';
import { sameBytes } from '../../../domain/hash.ts';
import type { Sats } from '../../../domain/money.ts';
import type { Txid } from '../../../domain/outpoint.ts';
import { hasPassed, unix } from '../../../domain/time.ts';
import type { EvmPurpose } from '../../../legs/evm/acts.ts';
import { approveCall } from '../../../legs/evm/calls.ts';
import { coinText } from '../../../legs/evm/coin-text.ts';
import { permit2 } from '../../../legs/evm/deployments.ts';
import { everything } from '../../../legs/evm/digests.ts';
import type { EvmPort, GasFees } from '../../../legs/evm/port.ts';
import { leavesBy, type TakerFunding } from '../../../legs/evm/taker-acts.ts';
import type { TakerAccounts } from '../../../legs/evm/taker-key.ts';
import { NotYet } from '../../not-yet.ts';
import { evmOf, takerAccountsOf } from '../../ports.ts';
import type { EvmContext } from './context.ts';
import { budgetOf, ceilingOf, dearer, priceOf, raised } from './gas.ts';
import { savingOf } from './prepare.ts';
import { tokenQuestion } from './sign.ts';
import { finishedOf, handOver, onTheWayOf, placeOf, signedByTaker, type AccountTransaction } from './taker-account.ts';

/*
 * A token without permits of its own (EIP-2612) is approved for Permit2 once, by a transaction of the taker's own
 * account, which pays its gas. See `taker-account.ts` for how that account sends.
 */

interface NeededBy {
  readonly network: EvmNetwork;
  readonly funding: TakerFunding;
  /** What is saved by it. */
  readonly value: Sats;
}

interface Approving {
  readonly need: NeededBy;
  readonly context: EvmContext;
  readonly port: EvmPort;
  readonly accounts: TakerAccounts;
  readonly account: EvmAddress;
}

const purpose = 'taker-approve' satisfies EvmPurpose;
/** What published clients give an approval (facts/clients.md 10): a token that takes more is none that swaps lock. */
const approvalGas = 100_000n;
/** Looks at the chain, a second or more apart, until what a mined approval leaves is taken for what it is. */
const waits = 12;
/** Seconds after which one that waits is signed anew with a better price. */
const patience = 120;

/**
 * Null once Permit2 may take what a funding takes, or where the token takes a signature for it; a sentence where it
 * will not. Throws `NotYet` while the approval is on its way.
 */
export async function approvedForPermit2(need: NeededBy, context: EvmContext): Promise<string | null> {
  const { network, funding } = need;
  const port = evmOf(context.ports, network);
  const accounts = takerAccountsOf(context.ports);
  const account = accounts.accountOf(funding.key);
  const { token, amount } = leavesBy(funding);
  if ((await port.sureAllowance(token, account, permit2)) >= amount) return null;
  const bySingleSource = need.value <= context.evm(network).singleSource;
  const permit = { token, owner: account, amount, deadline: funding.deadline, bySingleSource };
  if ((await tokenQuestion(port, permit)) !== null) return null;
  // One at a time: two swaps have the same account, and would sign for the same place in its order.
  return context.alone(network, () => approve({ need, context, port, accounts, account }));
}

async function approve(of: Approving): Promise<string | null> {
  const { need, context, port, account } = of;
  const { token, amount } = leavesBy(need.funding);
  const by = { network: need.network, key: need.funding.key, accounts: of.accounts, store: context.store };
  // One that does not show what a block has is behind, or lies (facts/faults.md 320).
  const serves = async (): Promise<boolean> =>
    finishedOf(purpose, by).some(({ to }) => sameBytes(to, token)) &&
    (await port.allowance(token, account, permit2, amount)) >= amount;
  if (await serves()) return null;
  // In this order: an approval that is mined between the two questions is never signed a second time.
  const mined = await placeOf(port, account, by);
  if ((await port.sureAllowance(token, account, permit2)) >= amount) return null;
  if (onTheWayOf('taker-pay', by).some(({ transaction }) => transaction.nonce >= mined))
    throw new NotYet(1, 'what is sent on from the account is on its way');
  const all = onTheWayOf(purpose, by);
  const past = all.filter(({ transaction }) => transaction.nonce < mined);
  if (past.length > 0) await settle(past, of);
  const latest = all.findLast(({ transaction }) => transaction.nonce >= mined);
  if (latest !== undefined) return sendAgain(latest, of);
  if (await serves()) return null;
  const before = context.store.transactions.of(context.row.subject);
  if (before.every((row) => row.purpose !== purpose || row.state !== 'final')) return sendFirst(mined, of);
  return `The token ${checksummed(token)} does not let itself be approved for Permit2.`;
}

/** Their place is used: by one of them, or by another transaction of whoever has the same words. */
async function settle(past: readonly AccountTransaction[], { port, context }: Approving): Promise<void> {
  const { store, clock, row } = context;
  const receipts = await Promise.all(past.map(({ txid }) => port.receipt(txid)));
  if (receipts.every((receipt) => receipt === null || receipt.ok) && row.attempts < waits)
    throw new NotYet(1, 'what the approval of Permit2 leaves is not seen yet');
  store.atomically(() => {
    past.forEach(({ txid }, i) => {
      // Nothing of it is secret, and orders after this one look what the account approved.
      if (receipts[i]?.ok === true) store.transactions.finish(txid, clock.now().wall);
      else store.transactions.close(txid, receipts[i] === null ? 'dead' : 'final', clock.now().wall);
    });
  });
  for (const { txid } of past) context.taken.forget(txid);
}

async function sendFirst(nonce: number, of: Approving): Promise<string | null> {
  const { need, port, account } = of;
  const fees = await port.gasFees();
  const price = priceOf(fees);
  const ceiling = ceilingFor(of);
  if (ceiling !== null && price > ceiling)
    throw new NotYet(
      null,
      `gas costs ${price} wei on ${need.network}, and at most ${ceiling} are paid for an approval`,
    );
  const held = await port.sureBalance(nativeCoin, account);
  if (held < price * approvalGas) return lacking(held, price, of);
  return send({ nonce, fees, replaces: null }, of);
}

function lacking(held: bigint, price: bigint, { need, account }: Approving): string {
  return (
    `The account ${checksummed(account)} holds ${coinText(held)} of the coin of ${need.network}, and the approval ` +
    `that its token needs takes up to ${coinText(price * approvalGas)}: send that much of it there.`
  );
}

/** The same bytes, or after a while the same approval at a better price: of the two the chain takes one. */
async function sendAgain(latest: AccountTransaction, of: Approving): Promise<string> {
  const { context, port, account } = of;
  const { nonce, fees } = latest.transaction;
  if (hasPassed(patience, latest.createdAt, context.clock.now().wall)) {
    const better = dearer(raised(fees), await port.gasFees());
    const ceiling = ceilingFor(of);
    const isAffordable = ceiling === null || priceOf(better) <= ceiling;
    if (isAffordable && (await port.sureBalance(nativeCoin, account)) >= priceOf(better) * approvalGas)
      return send({ nonce, fees: better, replaces: latest.txid }, of);
  }
  return broadcast(nonce, of);
}

function ceilingFor({ need, context }: Approving): bigint | null {
  const { network, value, funding } = need;
  const rules = context.evm(network);
  const clocks = context.clock.now();
  const now = clocks[network]?.mtp ?? clocks.wall;
  const deadline = unix(Number(funding.deadline));
  const saving = savingOf({ purpose, value, deadline, subject: context.row.subject }, context);
  return ceilingOf(budgetOf(saving, now, rules), approvalGas, rules);
}

/** On the disk before anybody has it. */
async function send(
  { nonce, fees, replaces }: { readonly nonce: number; readonly fees: GasFees; readonly replaces: Txid | null },
  of: Approving,
): Promise<string> {
  const { need, context, accounts } = of;
  const { network, funding } = need;
  const { store, row, clock } = context;
  const call = approveCall(leavesBy(funding).token, permit2, everything);
  const transaction = { ...call, nonce, gas: approvalGas, fees };
  const { txid, bytes } = signedByTaker(transaction, network, funding.key, accounts);
  const asset = `0x${'0'.repeat(40)}` as const;
  store.transactions.insert(
    { txid, network, asset, subject: row.subject, leg: 'evm', purpose, bytes, inputs: [], replaces },
    clock.now().wall,
  );
  return broadcast(nonce, of);
}

/** A sentence where nobody takes it, for the account lacks the coin: what is sent on has its place then. */
async function broadcast(nonce: number, of: Approving): Promise<string> {
  const { need, context, accounts, account } = of;
  const { store, clock } = context;
  const by = { network: need.network, key: need.funding.key, accounts, store };
  const variants = onTheWayOf(purpose, by).filter(({ transaction }) => transaction.nonce === nonce);
  const handed = await handOver(variants, account, of);
  if (handed.is === 'waits') throw new NotYet(1, 'the approval of Permit2 waits to be mined');
  if (handed.lacking === null) throw new NotYet(1, `the approval of Permit2 is not taken: ${handed.reason}`);
  store.atomically(() => {
    for (const { txid } of variants) store.transactions.close(txid, 'dead', clock.now().wall);
  });
  for (const { txid } of variants) context.taken.forget(txid);
  return lacking(handed.lacking.held, priceOf(handed.lacking.cheapest.fees), of);
}
