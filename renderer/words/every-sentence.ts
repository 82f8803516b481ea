import type { between } from './en/between.ts';
import type { board } from './en/board.ts';
import type { en } from './en/catalogue.ts';
import type { checklist } from './en/checklist.ts';
import type { display } from './en/display.ts';
import type { labels } from './en/labels.ts';
import type { logs } from './en/logs.ts';
import type { prices } from './en/prices.ts';
import type { providers } from './en/providers.ts';
import type { restore } from './en/restore.ts';
import type { review } from './en/review.ts';
import type { sandbox } from './en/sandbox.ts';
import type { scan } from './en/scan.ts';

/** Every sentence of the page, those included that come with a page of their own. */
export type Catalogue = typeof en & {
  readonly between: typeof between;
  readonly board: typeof board;
  readonly checklist: typeof checklist;
  readonly display: typeof display;
  readonly labels: typeof labels;
  readonly logs: typeof logs;
  readonly prices: typeof prices;
  readonly providers: typeof providers;
  readonly restore: typeof restore;
  readonly review: typeof review;
  readonly scan: typeof scan;
  readonly sandbox: typeof sandbox;
};
