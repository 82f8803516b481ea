// The part of Electron that the desktop uses, for machines without its runtime; given to Node with --import. Windows
// are pages of a real Chromium: what the page's policy forbids is forbidden by the browser; what the shell forbids is
// asked of the shell's own handlers. A scheme of the program's becomes an https origin, `sluice://app` is
// `https://app.sluice.test`.
import assert from 'node:assert';
import { fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { BrowserWindow, ipc, page, prevented, session, type Act } from './windows.ts';

export { BrowserWindow, session };

const own = { url: import.meta.url, shortCircuit: true };
registerHooks({ resolve: (name, context, next) => (name === 'electron' ? own : next(name, context)) });

const blockers = new Set<string>();
/** What a test reads and sets. */
export const standIn = {
  questions: [] as { message: string; detail: string; buttons: string[]; cancelId: number }[],
  answers: [] as number[],
  trays: [] as Tray[],
  blockers,
  page,
};

const home = process.env['STAND_IN_HOME'] ?? '';
const door = join(home, 'instance');
export const app = Object.assign(new EventEmitter(), {
  isPackaged: false,
  /** One for each home: whoever comes later knocks at the first and leaves. */
  requestSingleInstanceLock() {
    if (existsSync(door)) return !process.kill(Number(readFileSync(door, 'utf8')), 'SIGUSR2');
    writeFileSync(door, `${process.pid}`);
    process.on('SIGUSR2', () => app.emit('second-instance')).once('exit', () => rmSync(door));
    return true;
  },
  enableSandbox() {},
  whenReady: async () => {},
  getPath: () => home,
  quit: () => void (prevented(app, 'before-quit') || app.exit(0)),
  exit: (code = 0) => process.exit(code),
});
export const powerMonitor = new EventEmitter();
export const protocol = { registerSchemesAsPrivileged() {} };
export const safeStorage = { getSelectedStorageBackend: () => 'gnome_libsecret' };
export const nativeImage = { createFromPath: (path: string) => path };
export const Menu = { buildFromTemplate: (template: unknown) => template };
export const powerSaveBlocker = { start: (type: string) => blockers.add(type).size, stop: () => blockers.clear() };
export const dialog = {
  showErrorBox() {},
  async showMessageBox(...args: typeof standIn.questions) {
    const question = args.at(-1)!;
    standIn.questions.push(question);
    return { response: standIn.answers.shift() ?? question.cancelId };
  },
};
export const ipcMain = {
  handle: (channel: string, handler: Act) => assert(!ipc.has(channel) && ipc.set(channel, handler)),
  removeHandler: (channel: string) => ipc.delete(channel),
};
export class Tray extends EventEmitter {
  tip = '';
  menu: { label?: string; click?: () => void }[] = [];
  image = '';
  place = standIn.trays.push(this);
  setImage = (image: string) => void (this.image = image);
  setToolTip = (tip: string) => void (this.tip = tip);
  setContextMenu = (menu: Tray['menu']) => void (this.menu = menu);
  destroy() {}
}
export const Notification = { isSupported: () => false };
export const utilityProcess = {
  fork: (entry: string, args: string[]) => fork(entry, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
};

process.on('message', ({ id, code, arg }: { id: number; code: string; arg: unknown }) => {
  const run = new Function('electron', 'arg', `return (${code})(electron, arg)`) as Act;
  void Promise.resolve({ app, BrowserWindow, dialog, powerMonitor, session, standIn })
    .then((electron) => run(electron, arg))
    .then((value) => ({ value }))
    .catch((error: Error) => ({ error: error.message }))
    .then((answer) => process.send?.({ id, ...answer }));
});
