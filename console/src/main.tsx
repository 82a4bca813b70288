/** Where the page begins: its parts are made, given to each other, and drawn. */
import { render } from 'preact';
import { App } from './shell/app.tsx';
import { ConsoleContext } from './app/use-console.ts';
import { createConsole } from './shell/create-console.ts';

const place = document.getElementById('app');
if (place === null) throw new Error('index.html has no #app');
const parts = createConsole(window);
render(
  <ConsoleContext.Provider value={parts}>
    <App />
  </ConsoleContext.Provider>,
  place,
);
void parts.session.find();
