/**
 * The first run, and every start that has to ask: where the keys come from and how this computer's copy of them is
 * kept. The words of a seed cross here and nowhere else, on the screens that show, check and restore them.
 */
export interface SetupApi {
  state(): Promise<SetupState>;
  /** Called with each new state until the answer is called. */
  onState(listener: (state: SetupState) => void): () => void;
  /**
   * Which data folder the program opens, now and at each later start. Refused where a flag or the environment says it.
   */
  choose(request: { readonly network: ChosenNetwork }): Promise<SetupAnswer>;
  /** New words, held in memory until `lock`; `check` are the places (from 1) that have to be read back from paper. */
  make(request: { readonly words: 12 | 24 }): Promise<SetupAnswer<{ readonly check: readonly number[] }>>;
  /**
   * The words: of those made just now, or of the sealed seed. For the latter the passphrase is needed where there is
   * one; else the program asks its owner in a window of its own.
   */
  show(request?: { readonly passphrase?: string }): Promise<SetupAnswer<{ readonly words: readonly string[] }>>;
  /**
   * Compares what was read from paper with the words made just now; `verified` once every place of `check` is right.
   */
  verify(request: {
    readonly words: readonly { readonly place: number; readonly word: string }[];
  }): Promise<SetupAnswer<{ readonly verified: boolean; readonly words: readonly CheckedWord[] }>>;
  /** Compares all words of a paper with the sealed seed; the passphrase is needed where there is one. */
  compare(request: {
    readonly words: string;
    readonly passphrase?: string;
  }): Promise<SetupAnswer<{ readonly same: boolean }>>;
  /** Words from paper, held in memory until `lock`. */
  restore(request: { readonly words: string }): Promise<SetupAnswer<{ readonly count: 12 | 24 }>>;
  /** Forgets words that are not locked yet. */
  forget(): Promise<SetupAnswer>;
  /** Seals what was made and verified, or restored, and starts the node. One way at least; both may be chosen. */
  lock(request: { readonly keychain: boolean; readonly passphrase: string | null }): Promise<SetupAnswer>;
  /** Opens the sealed seed and starts the node. */
  unlock(request: { readonly passphrase: string }): Promise<SetupAnswer>;
  startAtLogin(): Promise<SetupAnswer<{ readonly on: boolean }>>;
  setStartAtLogin(request: { readonly on: boolean }): Promise<SetupAnswer>;
}

export type ChosenNetwork = 'sandbox' | 'mainnet' | 'signet' | 'mutinynet';

export interface SetupState {
  /** Of the data folder, for ever. */
  readonly network: ChosenNetwork | 'regtest';
  /** False until the owner chose: the program then opened the sandbox by itself. */
  readonly chosen: boolean;
  /** `absent`: make or restore; `sealed`: unlock; `open`: the node has its keys. */
  readonly seed: 'absent' | 'sealed' | 'open' | 'damaged';
  /** The ways into the sealed seed. */
  readonly ways: readonly ('passphrase' | 'keychain' | 'key-file')[];
  /** Whether this system has a keychain that keeps a secret. */
  readonly keychain: boolean;
  /** Words that wait for `lock`. */
  readonly draft: {
    readonly count: 12 | 24;
    readonly from: 'made' | 'restored';
    readonly verified: boolean;
    readonly check: readonly number[];
  } | null;
  readonly node: 'off' | 'starting' | 'running' | 'failed';
  /** The host's own words on why the node did not start. */
  readonly failure: string | null;
}

export interface CheckedWord {
  readonly place: number;
  readonly is: 'right' | 'wrong' | 'unlisted';
  /** Words of the list that look like an unlisted one. */
  readonly near: readonly string[];
}

export type SetupAnswer<T extends object = object> = ({ readonly done: true } & T) | SetupRefusal;

export interface SetupRefusal {
  readonly done: false;
  readonly why: SetupWhy;
  /** `unlisted`: which word, from 1. */
  readonly place?: number;
  /** `unlisted`: words of the list that look like it. */
  readonly near?: readonly string[];
  /** `word-count`: how many there were; `passphrase-short`: how many characters it needs. */
  readonly count?: number;
}

export type SetupWhy =
  | 'not-ours' // not sent by the program's own page
  | 'malformed'
  | 'fixed-by-start' // a flag or the environment decides
  | 'busy' // another act is not over
  | 'swaps-open' // HTLCs of the node in use need it
  | 'folder-refused' // `failure` of the state says why
  | 'seed-exists' // replacing it would lose what its keys hold
  | 'no-words' // nothing was made or restored
  | 'no-seed'
  | 'not-verified' // words made just now were not read back
  | 'word-count'
  | 'unlisted'
  | 'words-do-not-fit' // the checksum of BIP-39
  | 'no-way' // neither keychain nor passphrase chosen
  | 'passphrase-short'
  | 'passphrase-needed'
  | 'wrong-passphrase'
  | 'keychain-away'
  | 'damaged'
  | 'declined'; // the owner said no in the program's own window
