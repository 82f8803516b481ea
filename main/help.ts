import { oldNode } from './old-node.ts';

/** `--help` prints what a command is for and what it takes, and nothing else happens: no folder, no key, no request. */
export function answerHelp(usage: string, what: string, flags: Readonly<Record<string, string>>): void {
  // Every command comes by here before anything else.
  const old = oldNode(process.versions);
  if (old !== null) {
    console.error(old);
    process.exit(1);
  }
  const args = process.argv.slice(2);
  if (!args.includes('--help') && !args.includes('-h')) return;
  console.log(helpText(usage, what, flags));
  process.exit(0);
}

function helpText(usage: string, what: string, flags: Readonly<Record<string, string>>): string {
  const rows = Object.entries({ ...flags, '--help': 'print this' });
  const width = Math.max(...rows.map(([flag]) => flag.length));
  return [what, '', `Usage: ${usage}`, '', ...rows.map(([flag, use]) => `  ${flag.padEnd(width)}  ${use}`)].join('\n');
}
