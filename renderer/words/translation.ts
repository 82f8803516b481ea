import type { Catalogue } from './every-sentence.ts';
import type { en } from './en/catalogue.ts';
import type { Language } from './language.ts';
import type { Part } from './part.ts';

/** Null for English, and where it did not come: the page is then in English. */
let translation: Part<Catalogue> | null = null;

/** Before anything else of the page is fetched; a reader of English fetches nothing here. */
export async function chooseTranslation(language: Language): Promise<void> {
  if (language === 'en') return;
  translation = await import('./de/catalogue.ts').then(
    ({ de }) => de,
    () => null,
  );
}

/** The sentences of a part of the page in the language that was chosen. */
export function translated<Name extends keyof Catalogue>(name: Name, english: Catalogue[Name]): Catalogue[Name] {
  return over(english, translation?.[name]);
}

/** The same of all parts that come with the first script. */
export function inLanguage(english: typeof en): typeof en {
  return over(english, translation ?? undefined);
}

/** A sentence that a translation lacks is shown in English. */
export function over<Sentences>(english: Sentences, other: unknown): Sentences {
  if (other === undefined) return english;
  if (typeof english !== 'object' || english === null || Array.isArray(english)) return other as Sentences;
  const translatedParts = other as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(english).map(([key, sentence]) => [key, over(sentence, translatedParts[key])]),
  ) as Sentences;
}
