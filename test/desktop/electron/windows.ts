// Windows of the stand-in: each is a page of a real Chromium, its requests answered by the session's own handlers.
import { chromium, type BrowserContext, type Frame, type Page, type Request as PageRequest } from '@playwright/test';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { inEveryFrame } from './in-page.ts';

export type Handler = (event: unknown, message: unknown) => unknown;

/** What a test reads and sets. */
export const standIn = {
  questions: [] as { message: string; detail: string; buttons: string[] }[],
  answers: [] as number[],
  errors: [] as string[],
  notifications: [] as { title: string; body: string }[],
  trays: [] as { tip: string; menu: { label?: string; click?: () => void }[] }[],
  blockers: new Map<number, string>(),
  handlers: new Map<string, Handler>(),
  schemes: [] as unknown[],
  storageBackend: 'gnome_libsecret',
  page: (): Page => [...windows][0]!.page!,
};
const windows = new Set<BrowserWindow>();

const toWeb = (url: string) => url.replace(/^(\w+):\/\/([\w-]+)(?=\/|$)/, 'https://$2.$1.test');
const fromWeb = (url: string) => url.replace(/^https:\/\/([\w-]+)\.(\w+)\.test(?=\/|$)/, '$2://$1');
export function preventable<T extends object>(fields: T) {
  const event = { ...fields, defaultPrevented: false, preventDefault: () => void (event.defaultPrevented = true) };
  return event;
}

class Session extends EventEmitter {
  schemes = new Map<string, (request: Request) => Promise<Response>>();
  before: ((details: { url: string }, answer: (verdict: { cancel: boolean }) => void) => void) | null = null;
  request: ((c: WebContents, p: string, a: (yes: boolean) => void, d: { requestingUrl: string }) => void) | null = null;
  check: ((contents: WebContents, permission: string, origin: string) => boolean) | null = null;
  protocol = {
    isProtocolHandled: (scheme: string) => this.schemes.has(scheme),
    handle: (scheme: string, handler: (request: Request) => Promise<Response>) => this.schemes.set(scheme, handler),
  };
  webRequest = { onBeforeRequest: (listener: NonNullable<Session['before']>) => void (this.before = listener) };
  setPermissionRequestHandler = (handler: NonNullable<Session['request']>) => void (this.request = handler);
  setPermissionCheckHandler = (handler: NonNullable<Session['check']>) => void (this.check = handler);
  setDevicePermissionHandler() {}
}
const sessions = new Map<string, Session>();
export const session = {
  fromPartition: (name: string) => sessions.get(name) ?? sessions.set(name, new Session()).get(name)!,
};

class WebContents extends EventEmitter {
  window: BrowserWindow;
  openHandler: ((details: { url: string }) => { action: string }) | null = null;
  constructor(window: BrowserWindow) {
    super();
    this.window = window;
  }
  getURL = () => fromWeb(this.window.page?.url() ?? '');
  getLastWebPreferences = () => this.window.options.webPreferences;
  isDestroyed = () => this.window.page?.isClosed() !== false;
  setWindowOpenHandler = (handler: NonNullable<WebContents['openHandler']>) => void (this.openHandler = handler);
  send = (channel: string, message: unknown) =>
    this.window.page
      ?.evaluate(
        ([c, m]) => (window as never as { deliver(...message: unknown[]): void }).deliver(c, m),
        [channel, message],
      )
      .catch(() => {});
}

/** Electron's permissions by the names that the browser's automation has for them. */
const permissions = {
  'clipboard-sanitized-write': 'clipboard-write',
  'clipboard-read': 'clipboard-read',
  media: 'camera',
  geolocation: 'geolocation',
  notifications: 'notifications',
  midi: 'midi',
};

export class BrowserWindow extends EventEmitter {
  static getAllWindows = () => [...windows];
  page: Page | null = null;
  shown = false;
  webContents = new WebContents(this);
  options: { webPreferences: { session: Session; preload: string } };
  constructor(options: BrowserWindow['options']) {
    super();
    this.options = options;
    windows.add(this);
  }
  removeMenu() {}
  isMinimized = () => false;
  restore() {}
  focus() {}
  show = () => void (this.shown = true);
  destroy = () => void (this.page?.close().catch(() => {}), windows.delete(this), this.emit('closed'));
  async loadURL(url: string) {
    const { session: own, preload } = this.options.webPreferences;
    const browser = await chromium.connect(process.env['STAND_IN_BROWSER'] ?? '');
    const context = await browser.newContext({ acceptDownloads: true });
    await context.exposeBinding('invoke', ({ frame }, channel: string, message: unknown) =>
      standIn.handlers.get(channel)?.({ sender: this.webContents, senderFrame: senderFrame(frame) }, message),
    );
    await context.exposeBinding(
      'press',
      (_, event: string, type: string) => void this.webContents.emit(event, {}, { type }),
    );
    await context.addInitScript(
      `(${inEveryFrame.toString()})((process, require, exports) => { ${readFileSync(preload, 'utf8')} }, '${process.platform}')`,
    );
    const page = (this.page = await context.newPage());
    let ours = true;
    await context.route('**/*', async (route, request) => {
      const address = fromWeb(request.url());
      if (request.isNavigationRequest() && !(ours && address === url) && this.denies(address, request))
        return route.abort();
      ours = false;
      let cancelled = false;
      own.before?.({ url: address }, ({ cancel }) => void (cancelled = cancel));
      const { protocol: scheme } = new URL(address);
      const answer = cancelled
        ? undefined
        : await own.schemes.get(scheme.slice(0, -1))?.(new Request(address, { method: request.method() }));
      if (answer === undefined) return route.abort();
      const body = Buffer.from(await answer.arrayBuffer());
      await route.fulfill({ status: answer.status, headers: Object.fromEntries(answer.headers), body });
    });
    page.on('popup', (popup) => {
      if (this.webContents.openHandler?.({ url: popup.url() }).action === 'deny') void popup.close();
    });
    page.on('download', (download) => {
      const event = preventable({});
      own.emit('will-download', event);
      if (event.defaultPrevented) void download.cancel();
    });
    await page.goto(toWeb(url));
    await this.grant(context, own, new URL(toWeb(url)).origin, url);
    this.emit('ready-to-show');
  }
  denies(url: string, request: PageRequest) {
    const event = preventable({ url, isMainFrame: request.frame() === this.page?.mainFrame() });
    this.webContents.emit('will-frame-navigate', event);
    if (event.isMainFrame) this.webContents.emit('will-navigate', event);
    return event.defaultPrevented;
  }
  async grant(context: BrowserContext, own: Session, origin: string, url: string) {
    for (const [name, browserName] of Object.entries(permissions)) {
      let yes = own.check?.(this.webContents, name, url) ?? true;
      own.request?.(this.webContents, name, (answer) => void (yes &&= answer), { requestingUrl: url });
      if (yes) await context.grantPermissions([browserName], { origin });
    }
  }
}

const senderFrame = (frame: Frame): unknown => ({
  url: fromWeb(frame.url()),
  parent: frame.parentFrame() === null ? null : senderFrame(frame.parentFrame()!),
});
