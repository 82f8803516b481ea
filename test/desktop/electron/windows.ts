// Windows of the stand-in: each is a page of a real Chromium, its requests answered by the session's own handlers.
import { chromium, type Page } from '@playwright/test';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';

export type Act = (...args: unknown[]) => unknown;
type Handlers = Map<string, Act>;
/** What the program answers to its pages. */
export const ipc: Handlers = new Map();
const windows = new Set<BrowserWindow>();
export const page = (): Page => [...windows][0]!.page!;
const toWeb = (url: string) => url.replace(/^(\w+):\/\/([\w-]+)(?=\/|$)/, 'https://$2.$1.test');
const fromWeb = (url: string) => url.replace(/^https:\/\/([\w-]+)\.(\w+)\.test(?=\/|$)/, '$2://$1');
const keep = (handlers: Handlers, name: string) => (handler: Act) => void handlers.set(name, handler);
/** Says an event to the program; whether the program prevented it. */
export function prevented(emitter: EventEmitter, name: string, fields: object = {}): boolean {
  const event = { ...fields, defaultPrevented: false, preventDefault: () => void (event.defaultPrevented = true) };
  emitter.emit(name, event);
  return event.defaultPrevented;
}

class Session extends EventEmitter {
  handlers: Handlers = new Map();
  protocol = {
    isProtocolHandled: (scheme: string) => this.handlers.has(scheme),
    handle: (scheme: string, handler: Act) => void this.handlers.set(scheme, handler),
  };
  webRequest = { onBeforeRequest: keep(this.handlers, 'before') };
  setPermissionRequestHandler = keep(this.handlers, 'request');
  setPermissionCheckHandler = keep(this.handlers, 'check');
  setDevicePermissionHandler = keep(this.handlers, 'device');
}
const only = new Session();
export const session = { fromPartition: () => only };
const permissions = ['clipboard-sanitized-write', 'clipboard-read', 'media', 'geolocation', 'notifications', 'midi'];

export class BrowserWindow extends EventEmitter {
  static getAllWindows = () => [...windows];
  page: Page | null = null;
  options: { webPreferences: { preload: string } };
  handlers: Handlers = new Map();
  webContents = Object.assign(new EventEmitter(), {
    getURL: () => fromWeb(this.page?.url() ?? ''),
    getLastWebPreferences: () => this.options.webPreferences,
    isDestroyed: () => this.page?.isClosed() !== false,
    setWindowOpenHandler: keep(this.handlers, 'open'),
    send: (...message: unknown[]) =>
      this.page?.evaluate((m) => (window as never as { deliver: Act }).deliver(...m), message).catch(() => {}),
  });
  constructor(options: BrowserWindow['options']) {
    super();
    this.options = options;
    windows.add(this);
  }
  removeMenu() {}
  isMinimized = () => false;
  focus() {}
  show() {}
  destroy = () => void (this.page?.close().catch(() => {}), windows.delete(this), this.emit('closed'));
  async loadURL(url: string) {
    const context = await (await chromium.connect(process.env['STAND_IN_BROWSER'] ?? '')).newContext();
    await context.exposeBinding('invoke', ({ frame }, channel: string, message: unknown) => {
      const senderFrame = { url: fromWeb(frame.url()), parent: frame.parentFrame() };
      return ipc.get(channel)?.({ sender: this.webContents, senderFrame }, message);
    });
    await context.exposeBinding('press', (_, name: string, type) => void this.webContents.emit(name, {}, { type }));
    const preload = `(process, require, exports) => { ${readFileSync(this.options.webPreferences.preload, 'utf8')} }`;
    await context.addInitScript(`(${inEveryFrame.toString()})(${preload}, '${process.platform}')`);
    const opened = (this.page = await context.newPage());
    await context.route('**/*', async (route, request) => {
      const address = fromWeb(request.url());
      const leaves = request.isNavigationRequest() && opened.url() !== 'about:blank';
      const event = { url: address, isMainFrame: request.frame() === opened.mainFrame() };
      const denied = (name: string) => leaves && prevented(this.webContents, name, event);
      let cancelled = denied('will-frame-navigate') || (event.isMainFrame && denied('will-navigate'));
      const judge = (verdict: { cancel: boolean }) => (cancelled ||= verdict.cancel);
      only.handlers.get('before')?.({ url: address }, judge);
      const handler = cancelled ? undefined : only.handlers.get(new URL(address).protocol.slice(0, -1));
      if (handler === undefined) return route.abort();
      const answer = (await handler(new Request(address, { method: request.method() }))) as Response;
      const body = Buffer.from(await answer.arrayBuffer());
      await route.fulfill({ status: answer.status, headers: Object.fromEntries(answer.headers), body });
    });
    opened.on('popup', (popup) => {
      const verdict = this.handlers.get('open')?.({ url: popup.url() }) as { action: string } | undefined;
      if (verdict?.action === 'deny') void popup.close();
    });
    opened.on('download', (download) => void (prevented(only, 'will-download') && download.cancel()));
    await opened.goto(toWeb(url));
    for (const name of permissions) {
      let yes = only.handlers.get('check')?.(this.webContents, name, url) ?? true;
      const answer = (is: boolean) => (yes &&= is);
      only.handlers.get('request')?.(this.webContents, name, answer, { requestingUrl: url });
      const inBrowser = name.replace('sanitized-', '').replace('media', 'camera');
      if (yes) await context.grantPermissions([inBrowser], { origin: new URL(toWeb(url)).origin });
    }
    this.emit('ready-to-show');
  }
}

/**
 * Runs in the browser. Every frame gets the raw channel, as a renderer that was taken over has; the preload only the
 * top one.
 */
function inEveryFrame(preload: Act, platform: string) {
  const own = window as never as { invoke: Act; press: Act; deliver: Act } & Record<string, unknown>;
  const listeners: Record<string, Set<Act>> = {};
  own.deliver = (channel, message) => listeners[channel as string]?.forEach((listener) => listener({}, message));
  addEventListener('mousedown', (event) => event.isTrusted && own.press('before-mouse-event', 'mouseDown'), true);
  addEventListener('keydown', (event) => event.isTrusted && own.press('before-input-event', 'keyDown'), true);
  if (window !== top) return;
  const ipcRenderer = {
    invoke: own.invoke,
    on: (channel: string, listener: Act) => (listeners[channel] ??= new Set()).add(listener),
    off: (channel: string, listener: Act) => listeners[channel]?.delete(listener),
  };
  const contextBridge = { exposeInMainWorld: (name: string, api: unknown) => void (own[name] = api) };
  preload({ platform, versions: { electron: '0' } }, () => ({ contextBridge, ipcRenderer }), {});
}
