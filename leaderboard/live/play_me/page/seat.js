// What the pages of all seats share: following the state of the game, sending answers, rows of results.

const PAUSE_MS = 400;

export function followState(show, waiting) {
  const update = async () => {
    try {
      const answer = await fetch("/state.json");
      show(await answer.json());
    } catch {
      waiting.hidden = false;
      waiting.textContent = "the game has ended: give the command again to go on";
      return;
    }
    setTimeout(update, PAUSE_MS);
  };
  update();
}

export async function post(path, document) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(document),
  });
  return answer.json();
}

export function rowsOf(body, ended, values) {
  const cell = (text) => Object.assign(document.createElement("td"), { textContent: text });
  const shown = (value) => (value === null ? "–" : typeof value === "number" ? value.toFixed(1) : value);
  body.replaceChildren(
    ...ended.map((episode) => {
      const row = document.createElement("tr");
      row.append(cell(episode.instance), ...values(episode).map((value) => cell(shown(value))));
      return row;
    }),
  );
}
