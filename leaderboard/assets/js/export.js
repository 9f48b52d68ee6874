/* What a board shows, as a file or for pasting: the rows and columns that are seen, in the order in which they stand. */

const FORMULA = /^[=+\-@\t\r]/;
/* As LATEX in ircore/results/tables/formats.py; a test compares them. */
const MATHEMATICAL = {
  "Γ": "Gamma", "Δ": "Delta", "α": "alpha", "ε": "varepsilon", "κ": "kappa", "ρ": "rho", "σ": "sigma", "τ": "tau",
  "±": "pm", "×": "times", "≤": "le", "≥": "ge", "→": "to",
};
const LATEX = new Map([
  ["\\", "\\textbackslash{}"], ["~", "\\textasciitilde{}"], ["^", "\\textasciicircum{}"],
  ["−", "$-$"], ["†", "\\textdagger{}"], ["‡", "\\textdaggerdbl{}"], ["–", "--"],
  ...Object.entries(MATHEMATICAL).map(([sign, name]) => [sign, `$\\${name}$`]),
  ...[..."&%$#_{}"].map((sign) => [sign, `\\${sign}`]),
]);

function csvCell(value) {
  if (value === null) return "";
  const text = typeof value === "string" && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/* Units by column as the text of a last column, as in the files of the site. */
export function unitsText(units) {
  return Object.entries(units).map(([name, unit]) => `${name}: ${unit}`).join("; ");
}

/* With all digits that the board holds; a text that a spreadsheet would run begins with an apostrophe. */
export function csv(records) {
  const names = Object.keys(records[0] ?? {});
  const lines = [names, ...records.map((record) => names.map((name) => record[name]))];
  return `${lines.map((line) => line.map(csvCell).join(",")).join("\n")}\n`;
}

/* The same with what is shown in words. */
export function json(about, records) {
  return `${JSON.stringify({ ...about, rows: records }, null, 1)}\n`;
}

function oneLine(text) {
  return text.replace(/\s+/g, " ").trim();
}

function markdownCell(text) {
  return oneLine(text).replace(/([\\`*_[\]<>|&~#])/g, "\\$1");
}

export function markdown(heads, lines, words) {
  const row = (cells) => `| ${cells.map(markdownCell).join(" | ")} |`;
  const rule = `|${heads.map((_, index) => (index < 2 ? " :-- " : " --: ")).join("|")}|`;
  return `${[row(heads), rule, ...lines.map(row), "", markdownCell(words)].join("\n")}\n`;
}

export function latexCell(text) {
  return [...oneLine(text)].map((sign) => LATEX.get(sign) ?? sign).join("");
}

export function latex(heads, lines, words) {
  const row = (cells) => `${cells.map(latexCell).join(" & ")} \\\\`;
  const columns = heads.map((_, index) => (index < 2 ? "l" : "r")).join("");
  return `${[
    "\\begin{table}", `\\caption{${latexCell(words)}}`, `\\begin{tabular}{${columns}}`, "\\toprule", row(heads),
    "\\midrule", ...lines.map(row), "\\bottomrule", "\\end{tabular}", "\\end{table}",
  ].join("\n")}\n`;
}

export function save(name, type, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/* The clipboard is there on https and on this machine only; elsewhere the old way, which needs a selection. */
export async function copy(text) {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch { /* refused: the old way below */ }
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "sr-only";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
