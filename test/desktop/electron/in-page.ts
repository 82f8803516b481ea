type Listener = (...args: unknown[]) => void;

/** Runs in the browser. Every frame gets the raw channel, as a renderer that was taken over has; the preload only the top one. */
export function inEveryFrame(
  preload: (process: unknown, require: unknown, exports: unknown) => void,
  platform: string,
) {
  const own = window as never as { invoke: Listener; press: Listener; deliver: Listener } & Record<string, unknown>;
  const listeners = new Map<string, Set<Listener>>();
  own.deliver = (channel, message) => listeners.get(channel as string)?.forEach((listener) => listener({}, message));
  addEventListener('mousedown', (event) => event.isTrusted && own.press('before-mouse-event', 'mouseDown'), true);
  addEventListener('keydown', (event) => event.isTrusted && own.press('before-input-event', 'keyDown'), true);
  if (window !== top) return;
  const ipcRenderer = {
    invoke: own.invoke,
    on: (channel: string, listener: Listener) =>
      (listeners.get(channel) ?? listeners.set(channel, new Set()).get(channel)!).add(listener),
    off: (channel: string, listener: Listener) => listeners.get(channel)?.delete(listener),
  };
  const contextBridge = { exposeInMainWorld: (name: string, api: unknown) => void (own[name] = api) };
  preload({ platform, versions: { electron: '0' } }, () => ({ contextBridge, ipcRenderer }), {});
}
