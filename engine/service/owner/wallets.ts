import { randomUUID } from 'node:crypto';
import type {
  WalletAddress,
  WalletAddressRequest,
  WalletExit,
  Withdrawal,
  WithdrawalFees,
  WithdrawalFeesRequest,
  WithdrawRequest,
} from '../../contract/owner/wallets.ts';
import { isEvm, type Network } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { asPublicKey, sameBytes } from '../../domain/hash.ts';
import { fromHex, toHex } from '../../domain/hex.ts';
import { sats, type Sats } from '../../domain/money.ts';
import { after, hour, minute, seconds, until } from '../../domain/time.ts';
import { routingCeiling } from '../../domain/withdrawal-cost.ts';
import { checkInvoice } from '../../legs/lightning/invoice.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { arkadePrefix, decodeArkadeAddress, outputScript } from '../../legs/arkade/address.ts';
import {
  arkadeWithdrawal,
  lightningWithdrawal,
  withdrawalEffect,
  type ArkadeWithdrawalTerms,
  type LightningWithdrawalTerms,
} from '../../swap/jobs/withdrawal.ts';
import type { ServiceContext } from '../context.ts';
import { swapPays } from '../taker/spoken-for.ts';
import { depositText } from './deposit-text.ts';
import { coinFees, evmAddress, withdrawEvm } from './evm-wallet.ts';
import { beginJob, type BeginAs } from './job.ts';
import { notBtc, readBtc } from './read-btc.ts';
import { bitcoinFees, unreadWallet, withdrawBitcoin } from './withdraw-bitcoin.ts';

export async function walletAddress(
  context: ServiceContext,
  network: Network,
  request: WalletAddressRequest,
): Promise<WalletAddress | Refusal> {
  const { arkade, lightning, bitcoinWallet } = context.runtime.ports;
  if (isEvm(network)) return evmAddress(context, network, request.asset);
  const otherAsset = notBtc(request.asset);
  if (otherAsset !== null) return otherAsset;
  if (network === 'arkade' && arkade !== null) return { address: (await arkade.address()).address };
  if (network === 'lightning' && lightning !== null) {
    const amount = request.amount === null ? null : sats(request.amount);
    return { address: (await lightning.createInvoice({ amount, description: depositText })).bolt11 };
  }
  if (network === 'bitcoin' && bitcoinWallet !== undefined)
    return unreadWallet(context) ?? { address: await bitcoinWallet.address() };
  return refuse('unavailable', `There is no wallet on ${network} here: connect the network first.`);
}

/** Leaves the Arkade operator with every coin that is worth it, whether or not it answers. */
export async function walletExit({ unilateralExits }: ServiceContext, network: Network): Promise<WalletExit | Refusal> {
  if (network !== 'arkade')
    return refuse('invalid', `network is ${network}; only coins of the Arkade wallet can be brought to the chain.`);
  return unilateralExits.leave();
}

export async function withdraw(
  context: ServiceContext,
  network: Network,
  request: WithdrawRequest,
  as?: BeginAs,
): Promise<Withdrawal | Refusal> {
  if (network === 'bitcoin') return withdrawBitcoin(context, request, as);
  const { amount: units, speed = null } = request;
  if (speed !== null)
    return refuse('invalid', `speed is ${speed}, which a withdrawal on Bitcoin alone has: leave speed out.`);
  if (isEvm(network)) return withdrawEvm(context, network, request);
  if (units === 'all')
    return refuse(
      'invalid',
      'amount is all, which a withdrawal on Bitcoin and of the coin of a chain alone can be: give a number.',
    );
  const payment = readBtc({ ...request, amount: units });
  if (isRefusal(payment)) return payment;
  const { amount, maxFee } = payment;
  if (network === 'arkade') return withdrawArkade(context, request.address, amount, as);
  if (network === 'lightning') return withdrawLightning(context, request.address, amount, maxFee);
  return refuse('unavailable', `There is no wallet on ${network} here: connect the network first.`);
}

/** What a withdrawal would cost now, where that depends on more than its amount. */
export async function withdrawalFees(
  context: ServiceContext,
  network: Network,
  request: WithdrawalFeesRequest,
): Promise<WithdrawalFees | Refusal> {
  if (network === 'bitcoin') return bitcoinFees(context, request);
  if (isEvm(network)) return coinFees(context, network, request);
  return refuse('invalid', `network is ${network}; what it costs is told on Bitcoin and of the coin of a chain alone.`);
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
