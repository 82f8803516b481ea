import { chromium } from '@playwright/test';
import { existsSync } from 'node:fs';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', chromium.executablePath()];

/** A browser of this machine; undefined where there is none, which is said once. */
export const program = places.find((path) => existsSync(path));
if (program === undefined)
  console.warn(`SKIPPED: the page is looked at in a browser, and none of these is here: ${places.join(', ')}`);
