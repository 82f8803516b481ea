import { asSha256 } from '../../../engine/domain/hash.ts';
import { fromHex } from '../../../engine/domain/hex.ts';
import { msatPerSat, sats } from '../../../engine/domain/money.ts';
import type { LightningHoldings, ListedInvoice, ListedPayment, ListPage } from '../../../engine/legs/lightning/port.ts';
import { channels } from '../../../engine/sandbox/wire/lnd/messages.ts';
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
