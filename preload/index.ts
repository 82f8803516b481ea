import { contextBridge, ipcRenderer, type IpcRendererEvent } from 'electron';
import { callChannel, eventChannel, type SluiceApi } from './api.ts';

const api: SluiceApi = {
  host: { platform: process.platform, electron: process.versions['electron'] ?? '' },
  call: (route, args) => ipcRenderer.invoke(callChannel, { route, args }),
  on(listener) {
    const heard = (_: IpcRendererEvent, event: unknown) => listener(event);
    ipcRenderer.on(eventChannel, heard);
    return () => void ipcRenderer.off(eventChannel, heard);
  },
};

contextBridge.exposeInMainWorld('sluice', api);
