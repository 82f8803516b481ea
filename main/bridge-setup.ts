import { ipcMain, type WebContents } from 'electron';
import { setupChannel, setupStateChannel } from '../preload/api.ts';
import { refused } from './seed-desk.ts';
import { isFromPage } from './sender.ts';
import { setupRequest } from './setup-request.ts';
import type { Setup } from './setup.ts';

/** The page's way to the setup; the words of a seed cross here, to the top frame of our own page alone. */
export function openSetupBridge(setup: Setup, page: WebContents): () => void {
  ipcMain.handle(setupChannel, async (event, message: unknown) => {
    if (!isFromPage(event, page)) return refused('not-ours');
    const request = setupRequest.safeParse(message);
    // Nothing of the message is said back: it may hold words.
    return request.success ? setup.answer(request.data) : refused('malformed');
  });
  const stopListening = setup.onChange(() => {
    void setup.state().then((state) => {
      if (!page.isDestroyed()) page.send(setupStateChannel, state);
    });
  });
  return () => {
    stopListening();
    ipcMain.removeHandler(setupChannel);
  };
}
