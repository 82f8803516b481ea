import { ipcMain, type WebContents } from 'electron';
import { z } from 'zod';
import { routeNames } from '../engine/contract/routes.ts';
import type { Engine } from '../engine/index.ts';
import { callChannel, eventChannel } from '../preload/api.ts';
import { isOwnPage } from './policy.ts';

const callSchema = z.strictObject({
  route: z.enum(routeNames),
  args: z.strictObject({
    params: z.record(z.string(), z.unknown()).optional(),
    query: z.record(z.string(), z.unknown()).optional(),
    body: z.unknown().optional(),
  }),
});

/** The narrow way from the page to the engine. Only the top frame of our own page is heard; the engine checks the rest. */
export function openBridge(engine: Engine, page: WebContents): () => void {
  ipcMain.handle(callChannel, async (event, message: unknown) => {
    const frame = event.senderFrame;
    if (event.sender !== page || frame === null || frame.parent !== null || !isOwnPage(frame.url))
      return refused(403, 'Only the page of this program may call its engine.');
    const call = callSchema.safeParse(message);
    if (!call.success) return refused(400, 'The call names no route of the contract.');
    return engine.dispatch(call.data.route, call.data.args);
  });
  const stopListening = engine.events.on((event) => {
    if (!page.isDestroyed()) page.send(eventChannel, event);
  });
  return () => {
    stopListening();
    ipcMain.removeHandler(callChannel);
  };
}

function refused(status: number, sentence: string): { status: number; body: { error: string } } {
  return { status, body: { error: sentence } };
}
