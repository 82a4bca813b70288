/*
 * Mailproof's guard for sign-up forms. Switch it on with one attribute:
 *
 *   <script async src="https://mailproof.example.com/form.js"></script>
 *   <input type="email" data-mailproof="mp_pub_…">
 *
 * When somebody leaves the field, the address is checked for slips, dead domains and throw-away services. What is found
 * is told below the field and to screen readers. It suggests and never blocks: the form can be sent at any time, and
 * when the service is away or slow nothing is said. No cookies, no dependencies, no inline styles or markup.
 *
 * Other words: data-mailproof-typo="Meinten Sie {address}?", data-mailproof-undeliverable, data-mailproof-disposable,
 * data-mailproof-use (the button). Each check also fires a `mailproof` event on the input, with `result` and
 * `did_you_mean` in its detail.
 */
(() => {
  'use strict';
  const script = document.currentScript || document.querySelector('script[src$="/form.js"]');
  const service = new URL('api/v1/form-check', script.src);
  const patienceMs = 2000;
  const words = {
    typo: 'Did you mean {address}?',
    undeliverable: 'This address cannot receive email. Please check it.',
    disposable: 'This looks like a temporary address.',
    use: 'Use this address',
  };
  const hints = new WeakMap();
  const pending = new WeakMap();
  let count = 0;

  const isGuarded = (target) => target instanceof HTMLInputElement && Boolean(target.dataset.mailproof);
  const wordsOf = (input, name) =>
    input.dataset['mailproof' + name[0].toUpperCase() + name.slice(1)] || words[name];

  // It stands there, empty, before there is something to say: screen readers tell what changes in it.
  function hintOf(input) {
    let hint = hints.get(input);
    if (!hint || !hint.isConnected) {
      hint = document.createElement('div');
      hint.id = 'mailproof-hint-' + ++count;
      hint.className = 'mailproof-hint';
      hint.setAttribute('role', 'status');
      input.after(hint);
      hints.set(input, hint);
    }
    return hint;
  }

  function describe(input, hint, isSaying) {
    const others = (input.getAttribute('aria-describedby') || '')
      .split(/\s+/)
      .filter((id) => id && id !== hint.id);
    const ids = isSaying ? others.concat(hint.id) : others;
    if (ids.length) input.setAttribute('aria-describedby', ids.join(' '));
    else input.removeAttribute('aria-describedby');
  }

  function show(input, answer) {
    const hint = hintOf(input);
    const text = words[answer.result] ? wordsOf(input, answer.result) : '';
    hint.replaceChildren(text.replace('{address}', answer.did_you_mean || ''));
    describe(input, hint, text !== '');
    if (answer.result !== 'typo') return;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = wordsOf(input, 'use');
    button.addEventListener('click', () => {
      input.value = answer.did_you_mean;
      show(input, {});
      input.focus();
      for (const name of ['input', 'change']) input.dispatchEvent(new Event(name, { bubbles: true }));
    });
    hint.append(' ', button);
  }

  async function check(input) {
    const email = input.value.trim();
    pending.get(input)?.abort();
    show(input, {});
    // What is no address at all is the form's own business.
    if (!/.@./.test(email)) return;
    const controller = new AbortController();
    pending.set(input, controller);
    const timer = setTimeout(() => controller.abort(), patienceMs);
    try {
      const response = await fetch(service, {
        method: 'POST',
        credentials: 'omit',
        headers: { authorization: 'Bearer ' + input.dataset.mailproof, 'content-type': 'application/json' },
        body: JSON.stringify({ email }),
        signal: controller.signal,
      });
      // A refusal is read as well, since a body that nobody reads keeps its connection.
      const answer = await response.json();
      if (!answer.result || input.value.trim() !== email) return;
      show(input, answer);
      input.dispatchEvent(new CustomEvent('mailproof', { bubbles: true, detail: answer }));
    } catch {
      // The service is away or slow, and the form goes on without it.
    } finally {
      clearTimeout(timer);
    }
  }

  document.addEventListener('focusin', ({ target }) => {
    if (isGuarded(target)) hintOf(target);
  });
  document.addEventListener('change', ({ target }) => {
    if (isGuarded(target)) void check(target);
  });
})();
