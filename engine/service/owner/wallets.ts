import { randomUUID } from 'node:crypto';
import type {
  WalletAddress,
  WalletAddressRequest,
  WalletExit,
  Withdrawal,
  WithdrawRequest,
} from '../../contract/owner/wallets.ts';
import { isEvm, type Network } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { asPublicKey, sameBytes } from '../../domain/hash.ts';
import { fromHex, toHex } from '../../domain/hex.ts';
import { less, lesser, noSats, sats, tokenAmount, type Sats } from '../../domain/money.ts';
import { after, hour, minute, seconds, until } from '../../domain/time.ts';
import { routingCeiling, withdrawalCeiling } from '../../domain/withdrawal-cost.ts';
import { checkInvoice } from '../../legs/lightning/invoice.ts';
import { scriptOfAddress } from '../../legs/onchain/address.ts';
import { dustOf } from '../../legs/onchain/size.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { arkadePrefix, decodeArkadeAddress, outputScript } from '../../legs/arkade/address.ts';
import { feeReserveNow } from '../../runtime/networks/onchain/reserve.ts';
import {
  arkadeWithdrawal,
  lightningWithdrawal,
  withdrawalEffect,
  type ArkadeWithdrawalTerms,
  type LightningWithdrawalTerms,
} from '../../swap/jobs/withdrawal.ts';
import {
  bitcoinWithdrawal,
  bitcoinWithdrawalEffect,
  type BitcoinWithdrawalTerms,
} from '../../swap/jobs/withdrawal-bitcoin.ts';
import type { ServiceContext } from '../context.ts';
import { swapPays } from '../taker/spoken-for.ts';
import { depositText } from './deposit-text.ts';
import { evmAddress, withdrawEvm } from './evm-wallet.ts';
import { beginJob, type BeginAs } from './job.ts';

export async function walletAddress(
  context: ServiceContext,
  network: Network,
  request: WalletAddressRequest,
): Promise<WalletAddress | Refusal> {
  const { arkade, lightning, bitcoinWallet } = context.runtime.ports;
  if (isEvm(network)) return evmAddress(context, network, request.asset);
  if (request.asset !== null && request.asset !== 'btc')
    return refuse('invalid', `asset is ${request.asset}; this wallet holds btc only: leave asset out.`);
  if (network === 'arkade' && arkade !== null) return { address: (await arkade.address()).address };
  if (network === 'lightning' && lightning !== null) {
    if (request.amount === null)
      return refuse('invalid', 'amount is missing: a deposit over Lightning is an invoice over an amount in sats.');
    return {
      address: (await lightning.createInvoice({ amount: sats(request.amount), description: depositText })).bolt11,
    };
  }
  if (network === 'bitcoin' && bitcoinWallet !== undefined)
    return unreadWallet(context) ?? { address: await bitcoinWallet.address() };
  return refuse('unavailable', `There is no wallet on ${network} here: connect the network first.`);
}

/** Leaves the Arkade operator with every coin that is worth it, whether or not it answers. */
export async function walletExit({ leaving }: ServiceContext, network: Network): Promise<WalletExit | Refusal> {
  if (network !== 'arkade')
    return refuse('invalid', `network is ${network}; only coins of the Arkade wallet can be brought to the chain.`);
  return leaving.leave();
}

export async function withdraw(
  context: ServiceContext,
  network: Network,
  request: WithdrawRequest,
  as?: BeginAs,
): Promise<Withdrawal | Refusal> {
  if (network === 'bitcoin' && request.amount === 'all') return withdrawAll(context, request);
  const { amount: units } = request;
  if (units === 'all')
    return refuse('invalid', 'amount is all, which a withdrawal on Bitcoin alone can be: give a number.');
  if (isEvm(network)) return withdrawEvm(context, network, { ...request, amount: units });
  if (request.asset !== null && request.asset !== 'btc')
    return refuse('invalid', `asset is ${request.asset}; this wallet holds btc only: leave asset out.`);
  if (units > BigInt(Number.MAX_SAFE_INTEGER))
    return refuse('invalid', `amount is ${units} sats, more than there are: give a smaller one.`);
  const amount = sats(units);
  if (network === 'arkade') return withdrawArkade(context, request.address, amount, as);
  const maxFee = request.maxFee ?? null;
  if (maxFee !== null && maxFee > BigInt(Number.MAX_SAFE_INTEGER))
    return refuse('invalid', `max_fee is ${maxFee} sats, more than there are: give a smaller one.`);
  const ownLimit = maxFee === null ? null : sats(maxFee);
  if (network === 'lightning') return withdrawLightning(context, request.address, amount, ownLimit);
  if (network === 'bitcoin') return withdrawBitcoin(context, request.address, amount, ownLimit, as);
  return refuse('unavailable', `There is no wallet on ${network} here: connect the network first.`);
}

/** What is free of promises and of what is kept for fees, less the fee of now: nothing of it comes back. */
async function withdrawAll(context: ServiceContext, request: WithdrawRequest): Promise<Withdrawal | Refusal> {
  const { networks, config, runtime } = context;
  const { store, ports } = runtime;
  const missing = networks.missing('bitcoin') ?? unreadWallet(context);
  if (missing !== null) return missing;
  const script = scriptOfAddress(request.address, config.network);
  const most =
    script === null || ports.bitcoinWallet === undefined
      ? noSats
      : await ports.bitcoinWallet.mostSendable({
          script,
          reserved: store.transactions.reservedCoins(),
          reserve: feeReserveNow(store),
        });
  const all = lesser(most, less(networks.bitcoinFree(), networks.feeReserve().total));
  if (script !== null && all === noSats)
    return refuse('forbidden', 'Nothing is confirmed and free that is worth its fee: wait for confirmations.');
  return withdraw(context, 'bitcoin', { ...request, amount: tokenAmount(script === null ? 1n : all) });
}

async function withdrawArkade(
  context: ServiceContext,
  address: string,
  amount: Sats,
  as?: BeginAs,
): Promise<Withdrawal | Refusal> {
  const { networks, config, runtime } = context;
  const missing = networks.missing('arkade');
  if (missing !== null) return missing;
  const arkade = networks.arkade();
  const to = decodeArkadeAddress(address.toLowerCase());
  if (to === null || to.prefix !== arkadePrefix(config.network))
    return refuse(
      'invalid',
      `address is not an Arkade address of ${config.network}: it starts with ${arkadePrefix(config.network)}1.`,
    );
  if (arkade.state === 'connected' && !sameBytes(to.operator, arkade.facts.info.signer))
    return refuse(
      'invalid',
      'address belongs to another Arkade operator: give one of the operator that this node uses.',
    );
  if (arkade.state === 'connected' && amount < arkade.facts.info.dust)
    return refuse('invalid', `amount is ${amount} sats, the least is ${arkade.facts.info.dust}: send more.`);
  const outlives = as?.outlives;
  const free =
    outlives === undefined ? networks.arkadeFree() : networks.arkadeLockable(until(runtime.clock.now().wall, outlives));
  if (amount > free)
    return refuse(
      'forbidden',
      `amount is ${amount} sats; ${free} are free of promises to ` +
        `swaps${outlives === undefined ? '' : ' in coins that live long enough'}: send less.`,
    );
  const minExpiry = outlives === undefined ? {} : { minExpiry: outlives };
  const terms: ArkadeWithdrawalTerms = { script: outputScript(to.outputKey), address, amount, ...minExpiry };
  return beginJob(
    context,
    {
      machine: arkadeWithdrawal,
      network: 'arkade',
      amount,
      terms,
      progress: { at: 'choosing' },
      effects: [withdrawalEffect(terms)],
    },
    (reason) => `Nothing was sent: ${reason ?? 'no coins fit'}.`,
    as,
  );
}

/** At its first look a node without an index reads its whole set of coins: nobody waits on a request for that. */
function unreadWallet({ networks }: ServiceContext): Refusal | null {
  const seen = networks.bitcoinWallet();
  if (seen.state === 'connected') return null;
  if (seen.state === 'absent')
    return refuse('unavailable', 'There is no wallet on bitcoin here: connect the network first.');
  return refuse(
    'unavailable',
    `The coins of the Bitcoin wallet could not be read yet (${seen.detail}): try again in some minutes.`,
  );
}

async function withdrawBitcoin(
  context: ServiceContext,
  address: string,
  amount: Sats,
  maxFee: Sats | null,
  as?: BeginAs,
): Promise<Withdrawal | Refusal> {
  const { networks, config, runtime } = context;
  const missing = networks.missing('bitcoin') ?? unreadWallet(context);
  if (missing !== null) return missing;
  const script = scriptOfAddress(address, config.network);
  if (script === null)
    return refuse(
      'invalid',
      `address is not a Bitcoin address of ${config.network}: look for a missing or wrong letter, and for the ` +
        'network it was made on.',
    );
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
  const terms: BitcoinWithdrawalTerms = { script, address, amount, ...cost };
  const answer = await beginJob(
    context,
    {
      machine: bitcoinWithdrawal,
      network: 'bitcoin',
      amount,
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

async function withdrawLightning(
  context: ServiceContext,
  bolt11: string,
  amount: Sats,
  maxFee: Sats | null,
): Promise<Withdrawal | Refusal> {
  const { networks, config, runtime } = context;
  const missing = networks.missing('lightning', 'bitcoin');
  if (missing !== null) return missing;
  const lightning = networks.lightning();
  const invoice = context.decodeInvoice(bolt11.toLowerCase());
  if (isRefusal(invoice)) return invoice;
  const now = runtime.clock.now();
  const ownNode = lightning.state === 'connected' ? asPublicKey(fromHex(lightning.facts.info.pubkey)) : null;
  const checked = checkInvoice(invoice, {
    network: config.network,
    now: now.wall,
    fundingWindow: seconds(0),
    ownNode,
    targetAmount: amount,
  });
  if (isRefusal(checked)) return checked;
  if (amount > networks.outboundFree())
    return refuse(
      'forbidden',
      `amount is ${amount} sats; ${networks.outboundFree()} can be sent beside what is promised to swaps: send less.`,
    );
  const rival = (): Refusal | null => swapPays(context, invoice.hash);
  const refused = rival();
  if (refused !== null) return refused;
  const mostFee = maxFee ?? routingCeiling(amount, context.config.ceilings);
  const terms: LightningWithdrawalTerms = {
    bolt11: invoice.text,
    hash: invoice.hash,
    amount,
    maxFeeMsat: mostFee * 1_000n,
    maxTimeoutHeight: (now.bitcoin.height ?? 0) + invoice.finalCltv + context.policy.routeBlocks,
    notAfter: after(now.wall, seconds(Math.min(hour, Math.max(minute, invoice.expiresAt - now.wall)))),
  };
  const payment = {
    bolt11: terms.bolt11,
    hash: terms.hash,
    amount,
    maxFeeMsat: terms.maxFeeMsat,
    maxTimeoutHeight: terms.maxTimeoutHeight,
  };
  return beginJob(
    context,
    {
      machine: lightningWithdrawal,
      network: 'lightning',
      amount,
      terms,
      progress: { at: 'starting' },
      effects: [{ do: 'pay', payment, onlyIf: { notAfter: terms.notAfter } }],
      hash: hash160OfSha256(invoice.hash),
      payment: toHex(invoice.hash),
    },
    (reason) =>
      `Nothing was paid: ${reason ?? 'the payment failed'}. Routing it may cost ${mostFee} sats; max_fee says ` +
      'otherwise.',
    { id: randomUUID(), still: rival },
  );
}
