import type { BundlerConfig, Permit2Funding, Relayed, UseropFunding } from '../../contract/records/evm.ts';
import type { FundGaslessRequest } from '../../contract/requests/evm.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { checksummed } from '../../domain/evm-address.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { minute } from '../../domain/time.ts';
import type { Permit } from '../../legs/evm/acts.ts';
import { callsHash } from '../../legs/evm/calls-hash.ts';
import { accountAbstraction, permit2 } from '../../legs/evm/deployments.ts';
import { permitDigest } from '../../legs/evm/digests.ts';
import { partsOf, recoverSigner } from '../../legs/evm/signature.ts';
import { hashOf } from '../../swap/halves/evm/claim/sent.ts';
import type { EvmSourceTerms } from '../../swap/halves/evm/claim/terms.ts';
import type { ServiceContext } from '../context.ts';
import { planFunding } from '../market/calls.ts';
import type { RelaySigner } from '../evm/unpaid.ts';
import { unlessSaved } from '../unsaved.ts';
import { depositOf, signedOn, turnOf, unanswered, whenShown, type Deposited } from './deposit.ts';
import type { SwapDeposit } from './swap-deposit.ts';
import { createIssued, type Issued } from './issued.ts';
import { permitFacts } from './permit-facts.ts';

/** The operations by which a client's lock is made. */
export function createFunding(context: ServiceContext) {
  const issued = createIssued(() => context.runtime.clock.now().wall);

  /** What a client signs, or sends itself: priced afresh each time. */
  async function permit2Funding(id: string): Promise<Permit2Funding | Refusal> {
    const swap = fundable(context, id);
    if (isRefusal(swap)) return swap;
    const { terms } = swap.deposit;
    try {
      const funding = await plannedFunding(context, terms);
      if (isRefusal(funding)) return funding;
      const { hash, sourceAmount } = funding;
      issued.issue(id, { hash, sourceAmount });
      const eip2612 = await permitFacts(swap.port, terms.source.address, terms.clientAddress, sourceAmount);
      return { ...funding.data, eip2612 };
    } catch (cause) {
      return unanswered(cause, terms);
    }
  }

  /**
   * The same for a client that sends it by a bundler of its own: it has as much as its record says, and no more. The
   * account that locks need not be the one that was named (facts/clients.md 46, 47).
   */
  async function useropFunding(id: string): Promise<UseropFunding | Refusal> {
    const swap = fundable(context, id);
    if (isRefusal(swap)) return swap;
    const { terms } = swap.deposit;
    try {
      const funding = await plannedFunding(context, { ...terms, sourcePinned: true });
      return isRefusal(funding) ? funding : { ...funding.data, aa: delegation };
    } catch (cause) {
      return unanswered(cause, terms);
    }
  }

  /** Relays a client's signed funding, once: whoever asks again is told of the same transaction. */
  async function fundGasless(id: string, request: FundGaslessRequest): Promise<Relayed | Refusal> {
    const before = depositOf(context, id, 'fund-evm');
    if (isRefusal(before)) return before;
    const sent = relayedBy(before.deposit);
    if (sent !== null) return relayed(id, sent);
    const swap = fundable(context, id);
    if (isRefusal(swap)) return swap;
    const { terms } = swap.deposit;
    if (!terms.gasless)
      return refuse(
        'invalid',
        'This swap was created with gasless false and paid for no relay: send the transaction yourself, with what ' +
          `GET /swap/${id}/swap-and-lock-calldata-permit2 gives, before ${terms.fundBefore} (unix time).`,
      );
    if (swap.deposit.funding?.relay !== null) return settled(id);
    const judged = permitOf(context, swap, request, issued.with(id, callsHash(request.calls)));
    if (isRefusal(judged)) return judged;
    const { permit, signer } = judged;
    const lacking = await lacks(swap, permit);
    if (lacking !== null) return lacking;
    // Another request may have come first while this one was judged. From here on nothing is awaited: its turn would be
    // somebody else's too.
    const now = depositOf(context, id, 'fund-evm');
    if (!isRefusal(now) && (now.deposit.own !== null || (now.deposit.funding?.relay ?? null) !== null))
      return settled(id);
    const turn = turnOf(context, swap.entry.row, terms, { by: signer });
    if (turn !== null) return turn;
    const delivered = context.runtime.commits.deliver(id, { is: 'fund.requested', permit, calls: request.calls });
    if (delivered === 'moved') return settled(id);
    const unsaved = unlessSaved(delivered);
    if (unsaved !== null) return unsaved;
    return refuse(
      'invalid',
      'This swap cannot be funded by a relay any more: too many of its relays failed, or its funding window is ' +
        'over. Send the transaction yourself, or create a new swap.',
    );
  }

  /** What became of the relay that was asked for. */
  async function settled(id: string): Promise<Relayed | Refusal> {
    const after = await whenShown(context, id, (deposit) => relayedBy(deposit) !== null || !isOnItsWay(deposit));
    const txid = after === null ? null : relayedBy(after);
    if (txid !== null) return relayed(id, txid);
    if (after !== null && isOnItsWay(after))
      return refuse(
        'unavailable',
        'The funding is being sent, and no node of the chain took it yet: ask again, and the same request is ' +
          'answered with its transaction.',
      );
    const why = after?.funding?.refusal ?? 'the swap does not wait for its funding any more';
    return refuse('invalid', `The funding was not sent: ${why}. Fetch the data again and sign it anew.`);
  }

  function relayed(id: string, txid: string): Relayed {
    return {
      id,
      tx_hash: `0x${txid}`,
      message: 'The funding was sent.',
      status: context.runtime.store.swaps.statusOf(id) ?? 'pending',
    };
  }

  return { permit2Funding, useropFunding, fundGasless };
}

/** What a client without coins delegates to, and sends by, on every chain. */
const delegation = {
  entry_point: checksummed(accountAbstraction.entryPoint),
  delegation_target: checksummed(accountAbstraction.delegationTarget),
};

/** The bundler of a chain that clients may use. */
export function bundlerConfig(
  { config }: Pick<ServiceContext, 'config'>,
  { chainId }: { readonly chainId: number },
): BundlerConfig | Refusal {
  const bundler = config.evm[`${chainId}`]?.bundler ?? null;
  if (bundler === null)
    return refuse('not-found', `No bundler is offered on chain ${chainId}: use one of your own, or fund by Permit2.`);
  const { url, casing, paymaster } = bundler;
  return {
    ...delegation,
    permit2: checksummed(permit2),
    bundler: { url, casing },
    ...(paymaster === null ? {} : { paymaster: { url: paymaster } }),
  };
}

/** The lock and the calls that make it, at the price of now. */
async function plannedFunding(context: ServiceContext, terms: EvmSourceTerms) {
  const market = context.markets.on(terms.network);
  if (market === null) return refuse('unavailable', 'This chain was not read yet: try again later.');
  const plan = await planFunding(market, {
    hash: toHex(terms.hash),
    coordinator: terms.contracts.coordinator,
    expected: terms.least,
    token: terms.source.address,
    agreed: terms.sourceUnits,
    sourcePinned: terms.sourcePinned,
  });
  if (isRefusal(plan)) return plan;
  const { calls, sourceAmount } = plan;
  const hash = callsHash(calls);
  const data = {
    coordinator_address: checksummed(terms.contracts.coordinator),
    permit2_address: checksummed(permit2),
    source_token_address: checksummed(terms.source.address),
    source_amount: sourceAmount.toString(),
    lock_token_address: checksummed(terms.lock.token),
    preimage_hash: `0x${toHex(terms.hash)}`,
    claim_address: checksummed(terms.lock.claimAddress),
    timelock: Number(terms.lock.timelock),
    calls: calls.map(({ target, value, data: bytes }) => ({
      target: checksummed(target),
      value: value.toString(),
      call_data: `0x${toHex(bytes)}`,
    })),
    calls_hash: `0x${toHex(hash)}`,
  };
  return { hash, sourceAmount, data };
}

/** It is being signed, or waits for a node that takes it. */
function isOnItsWay({ funding }: SwapDeposit): boolean {
  return funding !== null && funding.relay !== null;
}

/** The transaction that funds the swap: one of ours that a node took, or whichever made its lock. */
function relayedBy({ funding, own, sent }: SwapDeposit): string | null {
  return own?.txid ?? funding?.relay?.mined?.by ?? hashOf({ sent }, funding?.relay?.txid ?? null);
}

/** A swap that waits for its lock. */
function fundable(context: ServiceContext, id: string): Deposited | Refusal {
  const swap = depositOf(context, id, 'fund-evm');
  if (isRefusal(swap)) return swap;
  const { funding, terms } = swap.deposit;
  if (funding === null)
    return refuse('invalid', `This swap cannot be funded in its state (${swap.entry.row.status}): create a new one.`);
  if (context.runtime.clock.now().wall >= terms.fundBefore)
    return refuse(
      'invalid',
      `The funding window of this swap ended at ${terms.fundBefore} (unix time): create a new one.`,
    );
  return swap;
}

/**
 * The client's signature as what it stands for; refused where it stands for something else, before any gas is spent.
 */
function permitOf(
  { runtime }: ServiceContext,
  { deposit: { terms } }: Deposited,
  { permit2: signed, calls, permit }: FundGaslessRequest,
  offers: readonly Issued[],
): { readonly permit: Permit; readonly signer: RelaySigner } | Refusal {
  const hash = callsHash(calls);
  if (offers.length === 0)
    return refuse(
      'invalid',
      'calls are not those that swap-and-lock-calldata-permit2 gave recently: fetch the data again, sign it ' +
        'and send its calls unchanged.',
    );
  const now = runtime.clock.now()[terms.network]?.mtp ?? 0;
  if (signed.deadline < now + minute)
    return refuse(
      'invalid',
      `permit2_deadline is ${signed.deadline} and the chain's clock is at ${now}: sign a deadline at least ` +
        `${minute} seconds later.`,
    );
  const { nonce, signature } = signed;
  const deadline = BigInt(signed.deadline);
  for (const { sourceAmount: amount } of offers.toReversed()) {
    const given: Permit = {
      depositor: terms.clientAddress,
      token: terms.source.address,
      amount,
      nonce,
      deadline,
      signature,
      ...(permit === null ? {} : { tokenPermit: permit }),
    };
    // A contract judges its own signature, and what it says shows when the relay is simulated: until then it proves
    // nothing.
    const isByKey = isByClient(terms, given, hash);
    if (isByKey ?? true) return { permit: given, signer: { account: terms.clientAddress, proven: isByKey !== null } };
  }
  return refuse(
    'invalid',
    `permit2_signature is not of ${checksummed(terms.clientAddress)} over what swap-and-lock-calldata-permit2 ` +
      'gave: sign token, amount, spender, nonce, deadline and witness as given there.',
  );
}

/** Null for a signature in a form that only a contract judges. */
function isByClient(terms: EvmSourceTerms, permit: Permit, hash: Uint8Array): boolean | null {
  const parts = partsOf(permit.signature);
  if (parts === null) return null;
  const digest = permitDigest(signedOn(terms), { lock: terms.lock, permit, callsHash: hash });
  const signer = recoverSigner(digest, parts.v < 27 ? { ...parts, v: parts.v + 27 } : parts);
  return signer !== null && sameBytes(signer, terms.clientAddress);
}

/** What the account of the client has to have for the relay not to fail. */
async function lacks({ deposit: { terms }, port }: Deposited, permit: Permit): Promise<Refusal | null> {
  const { token, depositor, amount, tokenPermit } = permit;
  try {
    const [held, allowed] = await Promise.all([
      port.balance(token, depositor, 0n, 'funding'),
      port.allowance(token, depositor, permit2, 0n, 'funding'),
    ]);
    if (held < amount)
      return refuse(
        'invalid',
        `${checksummed(depositor)} holds ${held} units of ${terms.source.symbol} and the swap takes ${amount}: ` +
          'bring the rest there first.',
      );
    if (allowed < amount && tokenPermit === undefined)
      return refuse(
        'invalid',
        `Permit2 may take ${allowed} units of ${terms.source.symbol} and the swap takes ${amount}: approve ` +
          'Permit2 first, or send eip2612_permit where the token takes one.',
      );
    return null;
  } catch (cause) {
    return unanswered(cause, terms);
  }
}
