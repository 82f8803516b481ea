import type { TrayState } from './tray-monitor.ts';

/** What the tray shows at a glance: by its shape, for not everybody sees colours and macOS draws none. */
export type TrayIcon = 'ok' | 'needs-you' | 'danger' | 'off';

/**
 * Files beside `resources/icons`, with more dots beside them as `@2x` and `@3x`; macOS takes a name that ends with
 * Template as a stencil.
 */
export const trayIcons: Readonly<Record<TrayIcon, { readonly colour: string; readonly template: string }>> = {
  ok: { colour: 'tray/ok.png', template: 'tray/okTemplate.png' },
  'needs-you': { colour: 'tray/needs-you.png', template: 'tray/needs-youTemplate.png' },
  danger: { colour: 'tray/danger.png', template: 'tray/dangerTemplate.png' },
  off: { colour: 'tray/off.png', template: 'tray/offTemplate.png' },
};

export function trayIconOf({ running, stakes, needsYou, inDanger }: TrayState): TrayIcon {
  if (inDanger > 0) return 'danger';
  if (!running || stakes === null) return 'off';
  return needsYou > 0 ? 'needs-you' : 'ok';
}
