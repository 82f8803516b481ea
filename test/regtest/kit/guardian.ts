// Started once by every process that starts daemons: reads "+pid", "-pid" and folders from its input and, when that
// ends because the starter is gone, however it went, kills and removes what is left.
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

const left = new Set<number>();
const folders: string[] = [];
for await (const line of createInterface({ input: process.stdin })) {
  if (line.startsWith('+')) left.add(Number(line.slice(1)));
  else if (line.startsWith('-')) left.delete(Number(line.slice(1)));
  else folders.push(line);
}
for (const pid of left) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
