import { create } from 'zustand';

/** How this window looks. It says nothing about money, and stays in the browser or the desktop program. */
interface Preferences {
  readonly theme: Theme;
  setTheme(theme: Theme): void;
}

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const place = 'sluice-theme';

export const usePreferences = create<Preferences>()((set) => ({
  theme: themes.find((theme) => theme === read()) ?? 'system',
  setTheme(theme) {
    write(theme);
    show(theme);
    set({ theme });
  },
}));

show(usePreferences.getState().theme);

function show(theme: Theme): void {
  if (typeof document === 'undefined') return;
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** A browser may forbid its storage: the choice then lasts as long as the page. */
function read(): string | null {
  try {
    return localStorage.getItem(place);
  } catch {
    return null;
  }
}

function write(value: string): void {
  try {
    localStorage.setItem(place, value);
  } catch {
    return;
  }
}
