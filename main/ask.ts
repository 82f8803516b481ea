import { dialog, type BrowserWindow } from 'electron';

/** A question of the program's own, which no script in the page can answer; no answer is no. */
export async function ask(
  window: BrowserWindow | null,
  question: { readonly title: string; readonly detail: string; readonly yes: string; readonly no: string },
): Promise<boolean> {
  const box = {
    type: 'warning' as const,
    message: question.title,
    detail: question.detail,
    buttons: [question.no, question.yes],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  };
  const { response } = await (window === null ? dialog.showMessageBox(box) : dialog.showMessageBox(window, box));
  return response === 1;
}
