import { ipcMain, type WebContents } from 'electron';
import { z } from 'zod';
import type { OwnerEvent } from '../engine/contract/owner/events.ts';
import { routeNames, type RouteName } from '../engine/contract/routes.ts';
import type { Engine } from '../engine/index.ts';
import { callChannel, eventChannel } from '../preload/api.ts';
import { needsPress } from './policy.ts';
import { watchGestures } from './user-gestures.ts';
import { createQuestions } from './questions.ts';
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

/**
 * Over HTTP floods have a price; here it is enough that a page gone wrong neither fills the memory nor keeps claims
 * waiting.
 */
const mostAtOnce = 64;
const mostCharacters = 1_100_000;

export interface Bridge {
  /** Sends the page an event of the owner's. */
  tell(event: OwnerEvent): void;
  close(): void;
}

/**
 * The narrow way from the page to the engine. Only the top frame of our own page is heard; the engine checks the rest.
 */
export function openBridge(options: {
  readonly engine: () => Engine | null;
  readonly page: WebContents;
  /** Asks the owner outside the page: for a press that only assistive technology made. */
  readonly confirm: (route: RouteName) => Promise<boolean>;
}): Bridge {
  const { engine, page } = options;
  const pressedNow = watchGestures(page);
  const isConfirmed = createQuestions(options.confirm);
  let underWay = 0;
  ipcMain.handle(callChannel, async (event, message: unknown) => {
    if (!isFromPage(event, page)) return refused(403, sentences.foreignPage);
    if (underWay >= mostAtOnce) return refused(429, sentences.tooManyCalls);
    underWay += 1;
    try {
      return await answer(message);
    } finally {
      underWay -= 1;
    }
  });
  async function answer(message: unknown): Promise<unknown> {
    if (lengthOf(message) > mostCharacters) return refused(413, sentences.callTooLong);
    const call = callSchema.safeParse(message);
    if (!call.success) return refused(400, sentences.noRoute);
    const { route, args } = call.data;
    if (needsPress(route) && !pressedNow() && !(await isConfirmed(route))) return refused(403, sentences.noPress);
    return engine()?.dispatch(route, args) ?? refused(503, sentences.nodeOff);
  }

  return {
    tell(event) {
      if (!page.isDestroyed()) page.send(eventChannel, event);
    },
    close: () => ipcMain.removeHandler(callChannel),
  };
}

/** As JSON. What has no such form is no call either, and is read by its shape. */
function lengthOf(message: unknown): number {
  try {
    return JSON.stringify(message)?.length ?? 0;
  } catch {
    return 0;
  }
}

function refused(status: number, sentence: string): { status: number; body: { error: string } } {
  return { status, body: { error: sentence } };
}
