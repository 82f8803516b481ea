import { create } from 'zustand';

/** How this window looks and what it shows. It says nothing about money, and stays in the browser or the desktop program. */
interface Preferences {
  readonly theme: Theme;
  /** Whether "Your node" is shown: the pages of who provides swaps to others. */
  readonly providing: boolean;
  setTheme(theme: Theme): void;
  setProviding(providing: boolean): void;
}

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const places = { theme: 'sluice-theme', providing: 'sluice-providing' } as const;

export const usePreferences = create<Preferences>()((set) => ({
  theme: themes.find((theme) => theme === read(places.theme)) ?? 'system',
  providing: read(places.providing) === 'on',
  setTheme(theme) {
    write(places.theme, theme);
    show(theme);
    set({ theme });
  },
  setProviding(providing) {
    write(places.providing, providing ? 'on' : 'off');
    set({ providing });
  },
}));

show(usePreferences.getState().theme);

function show(theme: Theme): void {
  if (typeof document === 'undefined') return;
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** A browser may forbid its storage: the choice then lasts as long as the page. */
function read(place: string): string | null {
  try {
    return localStorage.getItem(place);
  } catch {
    return null;
  }
}

function write(place: string, value: string): void {
  try {
    localStorage.setItem(place, value);
  } catch {
    return;
  }
}
