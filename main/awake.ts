import { powerSaveBlocker } from 'electron';

/** Keeps the machine from going to sleep by itself, not its screen from going dark. */
export function createAwake(): { keep(awake: boolean): void } {
  let id: number | null = null;
  return {
    keep(awake) {
      if (awake === (id !== null)) return;
      if (id === null) id = powerSaveBlocker.start('prevent-app-suspension');
      else {
        powerSaveBlocker.stop(id);
        id = null;
      }
    },
  };
}
