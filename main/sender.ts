import type { IpcMainInvokeEvent, WebContents } from 'electron';
import { isOwnPage } from './policy.ts';

/** Whether a message comes from the top frame of our own page in our own window, and from nothing inside it. */
export function isFromPage(event: IpcMainInvokeEvent, page: WebContents): boolean {
  const frame = event.senderFrame;
  return event.sender === page && frame !== null && frame.parent === null && isOwnPage(frame.url);
}
