// Every part in every state, as it is drawn from fixtures: what it looks like is seen here, and judged by axe.
import { CSPProvider } from '@base-ui/react/csp-provider';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../../../renderer/styles/index.css';
import { Bands } from './bands.tsx';
import { Controls } from './controls.tsx';
import { Lists } from './lists.tsx';

createRoot(document.getElementById('page')!).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <main className="main">
        <div className="page gap">
          <h1>Gallery</h1>
          <Controls />
          <Bands />
          <Lists />
        </div>
      </main>
    </CSPProvider>
  </StrictMode>,
);
