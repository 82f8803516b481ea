import { expect, test, vi } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import { createGuard } from '../../engine/runtime/guard.ts';
import { openStore } from '../store/support.ts';

test('fault 3: a network that was closed on a full disk is saved when it is closed once more', () => {
  const { store } = openStore();
  const full = vi.spyOn(store.settings, 'put').mockImplementation(() => {
    throw Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' });
  });
  const guard = createGuard(store, () => unix(0));
  expect(() => guard.close('arkade', 'why')).toThrow('the disk is full');
  const meanwhile = [guard.closed('arkade'), createGuard(store, () => unix(0)).closed('arkade')];
  full.mockRestore();
  guard.close('arkade', 'why');
  expect([meanwhile, createGuard(store, () => unix(0)).closed('arkade')]).toEqual([['why', null], 'why']);
});
