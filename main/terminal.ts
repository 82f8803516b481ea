/** A line typed on the terminal that does not appear on it. Ctrl-C ends the program as everywhere. */
export function askHidden(question: string): Promise<string> {
  const { stdin, stdout } = process;
  return new Promise((resolve) => {
    let typed = '';
    // Before the question: whoever answers quickly must not be seen either.
    stdin.setRawMode(true);
    stdout.write(question);
    stdin.setEncoding('utf8');
    const onText = (text: string) => {
      for (const character of text) {
        if (character === '\r' || character === '\n' || character === '\u0004') return done();
        if (character === '\u0003') {
          stdin.setRawMode(false);
          process.exit(130);
        }
        typed = character === '\u007f' || character === '\b' ? [...typed].slice(0, -1).join('') : typed + character;
      }
    };
    const done = () => {
      stdin.off('data', onText).pause().setRawMode(false);
      stdout.write('\n');
      resolve(typed);
    };
    stdin.on('data', onText).resume();
  });
}
