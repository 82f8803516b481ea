import { asSha256 } from '../../../engine/domain/hash.ts';
import { fromHex } from '../../../engine/domain/hex.ts';
import { msatPerSat, noSats, sats } from '../../../engine/domain/money.ts';
import type {
  ChainWallet,
  ClosingFunds,
  LightningHoldings,
  ListedInvoice,
  ListedPayment,
  ListPage,
} from '../../../engine/legs/lightning/port.ts';
import { channels } from '../../../engine/sandbox/wire/lnd/messages.ts';
import { walletHistory } from '../../../engine/sandbox/wire/lnd/wallet.ts';
import type { BitcoinWorld } from '../../../engine/sandbox/world/bitcoin/chain.ts';
import type { LightningWorld } from '../../../engine/sandbox/world/lightning/lightning.ts';

export function holdings(world: LightningWorld): LightningHoldings {
  const { node, outgoing } = world.balances();
  return {
    ours: node + outgoing,
    channels: [channels.node],
    htlcs: world.inFlight().flatMap(({ hash, payer, parts }) =>
      parts.map(({ amountMsat, feeMsat }) => ({
        hash: asSha256(fromHex(hash)),
        amount: sats((payer === 'outside' ? amountMsat : amountMsat + feeMsat) / msatPerSat),
        incoming: payer === 'outside',
        forwarded: false,
      })),
    ),
    version: String(world.moves()),
  };
}

/** Without a chain there is nothing in it. */
export function chainWallet(world: LightningWorld, bitcoin: BitcoinWorld | undefined, from: number): ChainWallet {
  const moves = bitcoin === undefined ? [] : walletHistory(world, bitcoin);
  return {
    ours: sats(moves.reduce((sum, { amount }) => sum + amount, 0n)),
    doubt: noSats,
    transactions: moves
      .filter(({ height }) => height === null || height >= from)
      .map(({ tx, amount, height }) => ({ txid: tx.txid, amount, fee: noSats, label: '', height })),
  };
}

/** It has a coin to close its channel with. */
export function closingFunds(world: LightningWorld, bitcoin: BitcoinWorld | undefined): ClosingFunds {
  const confirmed = bitcoin === undefined ? [] : world.walletScripts().flatMap(bitcoin.confirmedCoinsOf);
  const { htlcs } = holdings(world);
  return {
    coins: sats(confirmed.reduce((sum, { amount }) => sum + amount, 1_000_000n)),
    channels: htlcs.length === 0 ? 0 : 1,
    htlcs: htlcs.map(({ amount }) => amount),
    hashes: htlcs.map(({ hash }) => hash),
    theirs: [],
  };
}

export function payments(world: LightningWorld, page: ListPage): readonly ListedPayment[] {
  return pageOf(
    world.payments('node').map(({ index, hash, outcome, parts }) => ({
      index,
      hash: asSha256(fromHex(hash)),
      is: outcome,
      sent: outcome === 'settled' ? parts.reduce((sum, part) => sum + part.amountMsat + part.feeMsat, 0n) : 0n,
    })),
    page,
  );
}

export function invoices(world: LightningWorld, page: ListPage): readonly ListedInvoice[] {
  return pageOf(
    world.invoices('node').map(({ addIndex: index, hash, memo: description, state, htlcs }) => ({
      index,
      hash: asSha256(fromHex(hash)),
      description,
      is: state === 'accepted' ? 'open' : state,
      came: state === 'settled' ? htlcs.map(({ amountMsat: msat }) => ({ channel: channels.node, msat })) : [],
    })),
    page,
  );
}

function pageOf<T extends { readonly index: number }>(all: readonly T[], page: ListPage): readonly T[] {
  if ('newest' in page) return all.slice(-page.newest);
  return all.filter(({ index }) => index > page.after).slice(0, page.most);
}
