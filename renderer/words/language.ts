/** Languages of the page, each by its own name. */
export const languages = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof languages;

const place = 'sluice-language';

/** English until the owner chose another; a browser may forbid its storage. */
export const language: Language = read();

function read(): Language {
  try {
    const stored = typeof localStorage === 'undefined' ? null : localStorage.getItem(place);
    return stored !== null && Object.hasOwn(languages, stored) ? (stored as Language) : 'en';
  } catch {
    return 'en';
  }
}

/** Every sentence is read once, as the page begins: it begins anew. */
export function speak(chosen: Language): void {
  try {
    localStorage.setItem(place, chosen);
  } catch {
    return;
  }
  location.reload();
}
