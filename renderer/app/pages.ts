import type { ComponentType } from 'react';
import type { IconName } from '../parts/icon.tsx';
import { SwapPage } from '../pages/swap/swap-page.tsx';
import { later, soonAfter } from './later.ts';
import type { Flight } from '../records/flight.ts';
import { words } from '../words/words.ts';

/** What the rail knows about the node and its swaps. */
export interface RailFacts {
  readonly flight: Flight;
  readonly sandbox: boolean;
}

/** A number behind a name in the rail: neutral, or in the colour of what it asks for. */
export interface Count {
  readonly count: number;
  readonly tone: 'open' | 'need' | 'danger';
}

export interface PageEntry {
  /** First part of its address: `#/swap`. */
  readonly path: string;
  readonly Page: ComponentType<{ readonly rest: readonly string[] }>;
  /** Where its link stands; a page without one is led to by others. */
  readonly rail?: { readonly group: 'money' | 'node' | 'below'; readonly label: string; readonly icon: IconName };
  readonly count?: (facts: RailFacts) => Count | null;
  /** Only where this holds; always when left out. */
  readonly when?: (facts: RailFacts) => boolean;
  /** As wide as the window: only where rows have much to say. */
  readonly wide?: true;
  /** Without rail and stripe: the first run. */
  readonly bare?: true;
  /** The rail marks another page's link while this one is shown. */
  readonly under?: string;
}

// What a newcomer does not open first.
const oneSwapPage = soonAfter(async () => (await import('../pages/swaps/one-swap-page.tsx')).OneSwapPage);
const activityPage = soonAfter(async () => (await import('../pages/activity/activity-page.tsx')).ActivityPage);
const refundsPage = soonAfter(async () => (await import('../pages/refunds/refunds-page.tsx')).RefundsPage);
const backupPage = later(async () => (await import('../pages/setup/backup-page.tsx')).BackupPage);
const walletsPage = later(async () => (await import('../pages/wallets/wallets-page.tsx')).WalletsPage);
const sandboxPage = later(async () => (await import('../pages/sandbox/sandbox-page.tsx')).SandboxPage);
const settingsPage = later(async () => (await import('../pages/settings/settings-page.tsx')).SettingsPage);
const boardPages = later(async () => (await import('../pages/board/board-pages.tsx')).BoardPages);
const providePage = later(async () => (await import('../pages/provide/provide-page.tsx')).ProvidePage);
const logsPage = later(async () => (await import('../pages/logs/logs-page.tsx')).LogsPage);
const restorePage = later(async () => (await import('../pages/restore/restore-page.tsx')).RestorePage);

/** Every page, in the order of the rail. */
// prettier-ignore
export const pages: readonly PageEntry[] = [
  { path: 'swap', Page: SwapPage, rail: { group: 'money', label: words.shell.swap, icon: 'swap' } },
  { path: 'swaps', Page: oneSwapPage, under: 'activity' },
  { path: 'activity', Page: activityPage, rail: { group: 'money', label: words.shell.activity, icon: 'list' }, count: ({ flight }) => ({ count: flight.open, tone: 'open' }) },
  { path: 'refunds', Page: refundsPage, rail: { group: 'money', label: words.refunds.rail, icon: 'back' }, count: ({ flight }) => (flight.danger > 0 ? { count: flight.danger, tone: 'danger' } : { count: flight.needsYou, tone: 'need' }) },
  { path: 'wallets', Page: walletsPage, rail: { group: 'money', label: words.wallets.title, icon: 'wallet' } },
  { path: 'board', Page: boardPages, wide: true, rail: { group: 'node', label: words.shell.board, icon: 'board' } },
  { path: 'provide', Page: providePage, rail: { group: 'node', label: words.shell.provideRail, icon: 'shield' } },
  { path: 'sandbox', Page: sandboxPage, rail: { group: 'below', label: words.shell.sandbox, icon: 'bucket' }, when: ({ sandbox }) => sandbox },
  { path: 'settings', Page: settingsPage, rail: { group: 'below', label: words.settings.title, icon: 'sliders' } },
  { path: 'logs', Page: logsPage, under: 'settings' },
  { path: 'restore', Page: restorePage, under: 'refunds' },
  { path: 'backup', Page: backupPage, under: 'settings' },
];

/** Where one lands without an address. */
export const firstPage = 'swap';
