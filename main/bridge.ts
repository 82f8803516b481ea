import { ipcMain, type WebContents } from 'electron';
import { z } from 'zod';
import type { OwnerEvent } from '../engine/contract/owner/events.ts';
import { routeNames } from '../engine/contract/routes.ts';
import type { Engine } from '../engine/index.ts';
import { callChannel, eventChannel } from '../preload/api.ts';
import { needsPress } from './policy.ts';
import { watchPresses } from './presses.ts';
import { isFromPage } from './sender.ts';
import { sentences } from './words.ts';

const callSchema = z.strictObject({
  route: z.enum(routeNames),
  args: z.strictObject({
    params: z.record(z.string(), z.unknown()).optional(),
    query: z.record(z.string(), z.unknown()).optional(),
    body: z.unknown().optional(),
  }),
});

export interface Bridge {
  /** Sends the page an event of the owner's. */
  tell(event: OwnerEvent): void;
  close(): void;
}

/** The narrow way from the page to the engine. Only the top frame of our own page is heard; the engine checks the rest. */
export function openBridge(options: {
  readonly engine: () => Engine | null;
  readonly page: WebContents;
  /** Asks the owner outside the page: for a press that only assistive technology made. */
  readonly confirm: () => Promise<boolean>;
}): Bridge {
  const { engine, page } = options;
  const pressedNow = watchPresses(page);
  ipcMain.handle(callChannel, async (event, message: unknown) => {
    if (!isFromPage(event, page)) return refused(403, sentences.foreignPage);
    const call = callSchema.safeParse(message);
    if (!call.success) return refused(400, sentences.noRoute);
    const { route, args } = call.data;
    if (needsPress(route) && !pressedNow() && !(await options.confirm())) return refused(403, sentences.noPress);
    return engine()?.dispatch(route, args) ?? refused(503, sentences.nodeOff);
  });
  return {
    tell(event) {
      if (!page.isDestroyed()) page.send(eventChannel, event);
    },
    close: () => ipcMain.removeHandler(callChannel),
  };
}

function refused(status: number, sentence: string): { status: number; body: { error: string } } {
  return { status, body: { error: sentence } };
}
