// What a report's pages do: filters, plots that answer, buttons.

import { filters } from "./filters";
import { menu } from "./menu";
import { plots } from "./plots";

filters();
menu();
const redraw = plots();

document.getElementById("theme")?.addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  choose(dark ? "light" : "dark");
  redraw();
});

function choose(theme: string) {
  document.documentElement.dataset.theme = theme;
  // Some browsers keep nothing for pages that were opened as files.
  try { localStorage.setItem("theme", theme); } catch { /* then it holds for this page */ }
}

try {
  const kept = localStorage.getItem("theme");
  if (kept) document.documentElement.dataset.theme = kept;
} catch { /* as the system has it */ }

for (const button of document.querySelectorAll<HTMLButtonElement>("button.copy")) {
  button.addEventListener("click", async () => {
    const code = button.previousElementSibling!;
    await navigator.clipboard.writeText(code.textContent ?? "").then(() => (button.textContent = "Copied"), () => {
      // Not allowed from a file in some browsers: mark it, ready for the keyboard.
      getSelection()?.selectAllChildren(code);
      button.textContent = "Press Ctrl + C";
    });
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
}
