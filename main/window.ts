import { BrowserWindow, protocol, session, type Session } from 'electron';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isOwnPage, pageFile, pageHeaders, pageOrigin, pageScheme, permits, windowPreferences } from './policy.ts';

/** Before the program is ready: the page gets an origin of its own, not that of files. */
export function registerPageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: pageScheme, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/** The one window: sandboxed, without Node, unable to leave its page, to open another or to be given a permission. */
export function openWindow(options: {
  pageFolder: string;
  preload: string;
  icons: string;
  devTools: boolean;
}): BrowserWindow {
  const own = session.fromPartition('sluice', { cache: false });
  if (!own.protocol.isProtocolHandled(pageScheme)) {
    servePage(own, options.pageFolder);
    denyPermissions(own);
  }
  const window = new BrowserWindow({
    width: 1_120,
    height: 800,
    minWidth: 400,
    minHeight: 480,
    show: false,
    title: 'Sluice',
    icon: join(options.icons, 'icon.png'),
    webPreferences: {
      ...windowPreferences,
      session: own,
      preload: options.preload,
      devTools: options.devTools,
    },
  });
  keepInside(window);
  window.removeMenu();
  void window.loadURL(`${pageOrigin}/`);
  return window;
}

function servePage(own: Session, folder: string): void {
  own.protocol.handle(pageScheme, async (request) => {
    const file = request.method === 'GET' ? pageFile(request.url) : null;
    const bytes = file === null ? null : await readFile(join(folder, ...file.path)).catch(() => null); // Not there.
    if (file === null || bytes === null) return new Response('', { status: 404, headers: pageHeaders });
    return new Response(bytes, { status: 200, headers: { ...pageHeaders, 'content-type': file.type } });
  });
  // Nothing but the page itself is ever fetched, whatever the page asks for.
  own.webRequest.onBeforeRequest((details, answer) =>
    answer({ cancel: !isOwnPage(details.url) && !details.url.startsWith('devtools:') }),
  );
  own.on('will-download', (event) => event.preventDefault());
}

function denyPermissions(own: Session): void {
  own.setPermissionRequestHandler((contents, permission, answer, details) =>
    answer(permits(permission, details.requestingUrl) && permits(permission, contents.getURL())),
  );
  own.setPermissionCheckHandler((_contents, permission, requester) => permits(permission, requester));
  own.setDevicePermissionHandler(() => false);
}

function keepInside(window: BrowserWindow): void {
  const { webContents } = window;
  webContents.setWindowOpenHandler(() => ({ action: 'deny' }));
  webContents.on('will-navigate', (event) => {
    if (!isOwnPage(event.url)) event.preventDefault();
  });
  webContents.on('will-frame-navigate', (event) => {
    // The page has no frames: what is inside one is not it.
    if (!event.isMainFrame || !isOwnPage(event.url)) event.preventDefault();
  });
  webContents.on('will-redirect', (event) => event.preventDefault());
  webContents.on('will-attach-webview', (event) => event.preventDefault());
  webContents.on('will-prevent-unload', (event) => event.preventDefault()); // A page cannot hold the window open.
}
