import { contextBridge, ipcRenderer, type IpcRendererEvent } from 'electron';
import { callChannel, eventChannel, setupChannel, setupStateChannel, type SluiceApi } from './api.ts';
import type { SetupApi } from './setup.ts';

const setup: SetupApi = {
  state: () => ipcRenderer.invoke(setupChannel, { do: 'state' }),
  onState: (listener) => listenOn(setupStateChannel, listener),
  choose: ({ network }) => ipcRenderer.invoke(setupChannel, { do: 'choose', network }),
  make: ({ words }) => ipcRenderer.invoke(setupChannel, { do: 'make', words }),
  show: ({ passphrase } = {}) => ipcRenderer.invoke(setupChannel, { do: 'show', passphrase }),
  verify: ({ words }) => ipcRenderer.invoke(setupChannel, { do: 'verify', words }),
  compare: ({ words, passphrase }) => ipcRenderer.invoke(setupChannel, { do: 'compare', words, passphrase }),
  restore: ({ words }) => ipcRenderer.invoke(setupChannel, { do: 'restore', words }),
  forget: () => ipcRenderer.invoke(setupChannel, { do: 'forget' }),
  lock: ({ keychain, passphrase }) => ipcRenderer.invoke(setupChannel, { do: 'lock', keychain, passphrase }),
  unlock: ({ passphrase }) => ipcRenderer.invoke(setupChannel, { do: 'unlock', passphrase }),
  startAtLogin: () => ipcRenderer.invoke(setupChannel, { do: 'startAtLogin' }),
  setStartAtLogin: ({ on }) => ipcRenderer.invoke(setupChannel, { do: 'setStartAtLogin', on }),
};

const api: SluiceApi = {
  host: { platform: process.platform, electron: process.versions['electron'] ?? '' },
  call: (route, args) => ipcRenderer.invoke(callChannel, { route, args }),
  on: (listener) => listenOn(eventChannel, listener),
  setup,
};

contextBridge.exposeInMainWorld('sluice', api);

function listenOn<T>(channel: string, listener: (message: T) => void): () => void {
  const onMessage = (_: IpcRendererEvent, message: T) => listener(message);
  ipcRenderer.on(channel, onMessage);
  return () => void ipcRenderer.off(channel, onMessage);
}
