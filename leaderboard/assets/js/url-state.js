/*
 * The state of a page in its address: ?find=gpt&by=tokens, what is the default being left out.
 *
 *   irc.urlState.read()                    the address's parameters as an object of texts
 *   irc.urlState.write(values, { push })   sets the parameters given, drops the empty ones, keeps all others;
 *                                          push makes an entry that the back button returns from
 *   irc.urlState.watch(listener)           called whenever the reader goes back or forward
 */
(() => {
  "use strict";

  const irc = (window.irc ??= {});

  function read() {
    return Object.fromEntries(new URLSearchParams(location.search));
  }

  function addressWith(values) {
    const query = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(values)) {
      if (value) query.set(name, value);
      else query.delete(name);
    }
    // Commas and colons need no escape in a query, and an address is read by people.
    const text = query.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
    return `${location.pathname}${text ? `?${text}` : ""}${location.hash}`;
  }

  function write(values, { push = false } = {}) {
    const address = addressWith(values);
    if (address === `${location.pathname}${location.search}${location.hash}`) return;
    if (push) history.pushState(null, "", address);
    else history.replaceState(history.state, "", address);
  }

  function watch(listener) {
    window.addEventListener("popstate", listener);
  }

  irc.urlState = { read, write, watch };
})();
