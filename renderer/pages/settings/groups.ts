import { evmChainsOn, type BitcoinNetwork } from '../../../engine/domain/chain.ts';
import { words } from '../../words/words.ts';
import type { Setting, Tree } from './form.ts';

const { fields, hints } = words.settings;

const sats = (at: string, label: string, hint?: string): Setting => setting('sats', at, label, hint);
const share = (at: string, label: string, hint?: string): Setting => setting('bps', at, label, hint);
const text = (at: string, label: string, hint?: string): Setting => setting('text', at, label, hint);
const list = (at: string, label: string, hint?: string): Setting => setting('list', at, label, hint);

function setting(is: Setting['is'], at: string, label: string, hint?: string): Setting {
  return { is, at: at.split('.'), label, ...(hint === undefined ? {} : { hint }) };
}

export const terms: readonly Setting[] = [
  share('terms.feeBps', fields.fee, hints.fee),
  sats('terms.flatSats', fields.flat, hints.flat),
  sats('terms.minSats', fields.least),
  sats('terms.maxSats', fields.most),
  share('terms.inventory.spreadBps', fields.spread, hints.spread),
  share('terms.inventory.belowShareBps', fields.dryBelow, hints.dryBelow),
  share('terms.overpaymentToleranceBps', fields.tolerance, hints.tolerance),
];

/** The terms of one direction; what is left empty is as for all. */
export function termsOf(direction: string): readonly Setting[] {
  const at = `terms.directions.${direction}`;
  return [
    share(`${at}.feeBps`, fields.fee, hints.asForAll),
    sats(`${at}.flatSats`, fields.flat, hints.asForAll),
    sats(`${at}.minSats`, fields.least, hints.asForAll),
    sats(`${at}.maxSats`, fields.most, hints.asForAll),
  ];
}

export const caps: readonly Setting[] = [
  sats('caps.perHourSats', fields.perHour, hints.noCap),
  sats('caps.perDaySats', fields.perDay, hints.noCap),
  sats('caps.approveAboveSats', fields.approveAbove, hints.noCap),
];

export const ceilings: readonly Setting[] = [
  share('ceilings.withdrawalBps', fields.withdrawalShare, hints.withdrawalShare),
  sats('ceilings.withdrawalMinSats', fields.withdrawalLeast),
  sats('ceilings.withdrawalMaxSats', fields.withdrawalMost, hints.withdrawalMost),
  share('ceilings.renewalBps', fields.renewalShare, hints.renewalShare),
  sats('ceilings.renewalMinSats', fields.renewalLeast),
  share('ceilings.renewalMonthBps', fields.renewalMonth),
  share('ceilings.claimBps', fields.claimShare, hints.claimShare),
  sats('ceilings.unpaidGasPerDaySats', fields.unpaidGas),
  sats('ceilings.consolidationPerDaySats', fields.consolidation),
];

export const alerts: readonly Setting[] = [
  text('alerts.webhookUrl', fields.webhook, hints.webhook),
  text('alerts.ntfy.url', fields.ntfy, hints.ntfy),
  text('alerts.ntfy.tokenFile', fields.ntfyToken, hints.tokenFile),
  text('alerts.telegram.chat', fields.telegramChat, hints.telegramChat),
  text('alerts.telegram.tokenFile', fields.telegramToken, hints.tokenFile),
  text('alerts.deadMan.urlFile', fields.deadMan, hints.deadMan),
];

export const rescueCopy: readonly Setting[] = [text('rescue.copyTo', fields.rescueCopy, hints.rescueCopy)];

/** What a connection needs, by the network of its checks. */
export function connectionOf(network: string): readonly Setting[] {
  switch (network) {
    case 'lightning':
      return [
        text('lnd.socket', fields.lndSocket, hints.lndSocket),
        text('lnd.certFile', fields.lndCert, hints.wholePath),
        text('lnd.macaroonFile', fields.lndMacaroon, hints.wholePath),
      ];
    case 'bitcoin':
      return [
        text('bitcoin.core.url', fields.coreUrl, hints.coreUrl),
        text('bitcoin.core.userFile', fields.coreUser, hints.wholePath),
        text('bitcoin.core.passwordFile', fields.corePassword, hints.wholePath),
        list('bitcoin.esplora', fields.esplora, hints.onePerLine),
      ];
    case 'arkade':
      return [text('arkade.url', fields.arkadeUrl), sats('arkade.maxExposureSats', fields.exposure, hints.noCap)];
    case 'proxy':
      return [text('socks', fields.socks, hints.socks)];
    default:
      return network.startsWith('evm:') ? [list(`evm.${network.slice('evm:'.length)}.rpc`, fields.rpc, hints.rpc)] : [];
  }
}

/** The EVM chains that this node can be connected to. */
export function chainsOf(settings: Tree): (typeof evmChainsOn)[BitcoinNetwork] {
  return evmChainsOn[settings['network'] as BitcoinNetwork];
}
