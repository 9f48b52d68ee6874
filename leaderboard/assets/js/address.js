/* The state of a page in its address: ?find=gpt&by=tokens, what is the default being left out. */

/* The address's parameters as an object of texts. */
export function readQuery() {
  return Object.fromEntries(new URLSearchParams(location.search));
}

function addressWith(values) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(values)) {
    if (value && !Array.isArray(value)) query.set(name, value);
    else query.delete(name);
    if (Array.isArray(value)) value.forEach((text) => query.append(name, text));
  }
  // Commas, colons and tildes need no escape in a query, and an address is read by people.
  const text = query.toString().replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%7E", "~");
  return `${location.pathname}${text ? `?${text}` : ""}`;
}

/*
 * Set the parameters given, drop the empty ones and keep all others; a list sets a parameter several times. With push it
 * is an entry that the back button returns from. The fragment stays unless another is given.
 */
export function writeQuery(values, { push = false, fragment = location.hash } = {}) {
  const address = `${addressWith(values)}${fragment}`;
  if (address === `${location.pathname}${location.search}${location.hash}`) return;
  if (push) history.pushState(null, "", address);
  else history.replaceState(history.state, "", address);
}

/* Called whenever the reader goes back or forward. */
export function whenMoved(listener) {
  window.addEventListener("popstate", listener);
}
