import { BrowserWindow, net, protocol, session, type Session } from 'electron';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isOwnPage, pageFile, pageHeaders, pageOrigin, pageScheme } from './policy.ts';

/** Before the program is ready: the page gets an origin of its own, not that of files. */
export function registerPageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: pageScheme, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/** The one window: sandboxed, without Node, unable to leave its page, to open another or to be given a permission. */
export function openWindow(pageFolder: string, preload: string): BrowserWindow {
  const own = session.fromPartition('sluice', { cache: false });
  if (!own.protocol.isProtocolHandled(pageScheme)) {
    servePage(own, pageFolder);
    denyPermissions(own);
  }
  const window = new BrowserWindow({
    width: 960,
    height: 760,
    minWidth: 400,
    minHeight: 480,
    show: false,
    title: 'Sluice',
    webPreferences: {
      session: own,
      preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
      devTools: process.argv.includes('--devtools'),
    },
  });
  keepInside(window);
  window.removeMenu();
  window.once('ready-to-show', () => window.show());
  void window.loadURL(`${pageOrigin}/`);
  return window;
}

function servePage(own: Session, folder: string): void {
  own.protocol.handle(pageScheme, async (request) => {
    const file = request.method === 'GET' ? pageFile(request.url) : null;
    if (file === null) return new Response('', { status: 404, headers: pageHeaders });
    const served = await net.fetch(pathToFileURL(join(folder, ...file.path)).href);
    return new Response(served.body, { status: served.status, headers: { ...pageHeaders, 'content-type': file.type } });
  });
  // Nothing but the page itself is ever fetched, whatever the page asks for.
  own.webRequest.onBeforeRequest((details, answer) =>
    answer({ cancel: !isOwnPage(details.url) && !details.url.startsWith('devtools:') }),
  );
  own.on('will-download', (event) => event.preventDefault());
}

function denyPermissions(own: Session): void {
  // Copying an invoice is all a page of swaps needs.
  const allowed = (permission: string) => permission === 'clipboard-sanitized-write';
  own.setPermissionRequestHandler((_contents, permission, answer) => answer(allowed(permission)));
  own.setPermissionCheckHandler((_contents, permission) => allowed(permission));
  own.setDevicePermissionHandler(() => false);
}

function keepInside(window: BrowserWindow): void {
  const { webContents } = window;
  webContents.setWindowOpenHandler(() => ({ action: 'deny' }));
  webContents.on('will-navigate', (event) => {
    if (!isOwnPage(event.url)) event.preventDefault();
  });
  webContents.on('will-frame-navigate', (event) => {
    if (!isOwnPage(event.url)) event.preventDefault();
  });
  webContents.on('will-redirect', (event) => event.preventDefault());
  webContents.on('will-attach-webview', (event) => event.preventDefault());
  webContents.on('will-prevent-unload', (event) => event.preventDefault()); // A page cannot hold the window open.
}
