import { contextBridge, ipcRenderer, type IpcRendererEvent } from 'electron';
import { callChannel, eventChannel, type BridgeAnswer, type SluiceApi } from './api.ts';

const api: SluiceApi = {
  host: { platform: process.platform, version: process.versions['electron'] ?? '' },
  async call(route, args) {
    const answer = (await ipcRenderer.invoke(callChannel, { route, args })) as BridgeAnswer;
    if (!answer.ok) throw new Error(answer.sentence);
    return answer.value;
  },
  on(listener) {
    const heard = (_: IpcRendererEvent, event: unknown) => listener(event);
    ipcRenderer.on(eventChannel, heard);
    return () => void ipcRenderer.off(eventChannel, heard);
  },
};

contextBridge.exposeInMainWorld('sluice', api);
