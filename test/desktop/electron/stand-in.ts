// The part of Electron that the desktop uses, for machines without its runtime. Windows are pages of a real Chromium: what
// the page's policy forbids is forbidden by the browser; what the shell forbids is asked of the shell's own handlers.
// A scheme of the program's becomes an https origin, `sluice://app` is `https://app.sluice.test`.
import { fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { BrowserWindow, preventable, session, standIn, type Handler } from './windows.ts';

export { BrowserWindow, session };

const home = process.env['STAND_IN_HOME'] ?? '';
// One instance per home: the second knocks at the first's socket and leaves.
const door = join(home, 'instance');
const socket = connect(door);
const first = await once(socket, 'connect')
  .then(() => false)
  .catch(() => true);
socket.destroy();
if (first) rmSync(door, { force: true });
if (first)
  createServer(() => app.emit('second-instance', {}))
    .listen(door)
    .unref();

export const app = Object.assign(new EventEmitter(), {
  isPackaged: false,
  requestSingleInstanceLock: () => first,
  enableSandbox() {},
  whenReady: async () => {},
  getPath: () => home,
  getLoginItemSettings: () => ({ openAtLogin: false }),
  setLoginItemSettings() {},
  quit() {
    const event = preventable({});
    app.emit('before-quit', event);
    if (!event.defaultPrevented) app.exit(0);
  },
  exit: (code = 0) => process.exit(code),
});
export const powerMonitor = new EventEmitter();
export const protocol = { registerSchemesAsPrivileged: (schemes: unknown[]) => standIn.schemes.push(...schemes) };
export const safeStorage = { getSelectedStorageBackend: () => standIn.storageBackend };
export const nativeImage = { createFromBitmap: (bitmap: Buffer) => bitmap };
export const Menu = { buildFromTemplate: (template: unknown) => template };
export const powerSaveBlocker = {
  start(type: string) {
    const id = standIn.blockers.size + 1;
    standIn.blockers.set(id, type);
    return id;
  },
  stop: (id: number) => standIn.blockers.delete(id),
};
export const dialog = {
  showErrorBox: (_title: string, text: string) => void standIn.errors.push(text),
  async showMessageBox(...args: { message: string; detail: string; buttons: string[]; cancelId: number }[]) {
    const box = args.at(-1)!;
    standIn.questions.push({ message: box.message, detail: box.detail, buttons: box.buttons });
    return { response: standIn.answers.shift() ?? box.cancelId };
  },
};
export const ipcMain = {
  handle(channel: string, handler: Handler) {
    if (standIn.handlers.has(channel)) throw new Error(`a second handler for ${channel}`);
    standIn.handlers.set(channel, handler);
  },
  removeHandler: (channel: string) => standIn.handlers.delete(channel),
};
export class Tray extends EventEmitter {
  tip = '';
  menu: { label?: string; click?: () => void }[] = [];
  constructor() {
    super();
    standIn.trays.push(this);
  }
  setToolTip = (tip: string) => void (this.tip = tip);
  setContextMenu = (menu: Tray['menu']) => void (this.menu = menu);
  destroy() {}
}
export class Notification extends EventEmitter {
  static isSupported = () => true;
  text: { title: string; body: string };
  constructor(text: { title: string; body: string }) {
    super();
    this.text = text;
  }
  show = () => void standIn.notifications.push(this.text);
}
export const utilityProcess = {
  fork: (entry: string, args: string[]) => fork(entry, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
};

process.on('message', ({ id, code, arg }: { id: number; code: string; arg: unknown }) => {
  const run = new Function('electron', 'arg', `return (${code})(electron, arg)`) as (e: unknown, a: unknown) => unknown;
  const electron = { app, BrowserWindow, dialog, powerMonitor, session, standIn };
  Promise.resolve()
    .then(() => run(electron, arg))
    .then(
      (value) => process.send?.({ id, value }),
      (error: Error) => process.send?.({ id, error: error.message }),
    );
});
