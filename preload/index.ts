import { contextBridge, ipcRenderer, type IpcRendererEvent } from 'electron';
import { callChannel, eventChannel, type SluiceApi } from './api.ts';

const api: SluiceApi = {
  host: { platform: process.platform, electron: process.versions['electron'] ?? '' },
  call: (route, args) => ipcRenderer.invoke(callChannel, { route, args }),
  on(listener) {
    const onEvent = (_: IpcRendererEvent, event: unknown) => listener(event);
    ipcRenderer.on(eventChannel, onEvent);
    return () => void ipcRenderer.off(eventChannel, onEvent);
  },
};

contextBridge.exposeInMainWorld('sluice', api);
