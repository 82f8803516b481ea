/** A request as curl would send it. */
export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/**
 * What a shell would make of the command: quotes, `$NAME` and a backslash before a line's end. Whatever else it would
 * act on is refused.
 */
function wordsOf(command: string, valueOf: (name: string) => string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote: "'" | '"' | null = null;
  for (let rest = command; rest !== '';) {
    const [character = ''] = rest;
    const name = quote === "'" ? undefined : /^\$([A-Z][A-Z0-9_]*)/.exec(rest)?.[1];
    let length = 1;
    if (name !== undefined) {
      word = (word ?? '') + valueOf(name);
      length = name.length + 1;
    } else if (quote !== null) {
      if (character === quote) quote = null;
      else if (quote === '"' && /[\\$`]/.test(character))
        throw new Error(`a shell would act on ${character} in ${command}`);
      else word = (word ?? '') + character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= '';
    } else if (rest.startsWith('\\\n')) length = 2;
    else if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
      if (character === '\n' && rest.trim() !== '') throw new Error(`there is more than one command in ${command}`);
    } else if (/[\w:/.,=@%+-]/.test(character)) word = (word ?? '') + character;
    else throw new Error(`a shell would act on ${character} in ${command}`);
    rest = rest.slice(length);
  }
  if (quote !== null) throw new Error(`a quote is not closed in ${command}`);
  return word === null ? words : [...words, word];
}

/** Reads one curl command; an option that is not in the table is refused, for what it does is not known here. */
export function readCurl(command: string, valueOf: (name: string) => string): CurlRequest {
  const [program, ...words] = wordsOf(command, valueOf);
  if (program !== 'curl') throw new Error(`the command is ${String(program)}, not curl`);
  const headers: Record<string, string> = {};
  const urls: string[] = [];
  let method: string | null = null;
  let body: string | null = null;
  const next = (): string => {
    const word = words.shift();
    if (word === undefined) throw new Error(`an option of ${command} has no value`);
    return word;
  };
  const options: Readonly<Record<string, () => void>> = {
    '-s': () => undefined,
    '-si': () => undefined,
    '-X': () => (method = next()),
    '-H': () => {
      const [name = '', ...value] = next().split(':');
      headers[name.trim().toLowerCase()] = value.join(':').trim();
    },
    '-d': () => (body = next()),
    '--json': () => {
      body = next();
      JSON.parse(body);
      headers['content-type'] = 'application/json';
    },
  };
  while (words.length > 0) {
    const word = next();
    const option = options[word];
    if (option !== undefined) option();
    else if (word.startsWith('-')) throw new Error(`${word} is no option that is known here, in ${command}`);
    else urls.push(word);
  }
  const [url] = urls;
  if (url === undefined || urls.length > 1) throw new Error(`${command} has ${urls.length} addresses`);
  return { method: method ?? (body === null ? 'GET' : 'POST'), url, headers, body };
}
