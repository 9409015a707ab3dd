// The list of experiments at the side: open where there is room, a filter, and the present one in sight.

export function menu() {
  const menu = document.querySelector<HTMLDetailsElement>(".menu");
  if (!menu) return;
  const narrow = matchMedia("(max-width: 900px)");
  const fold = () => (menu.open = !narrow.matches);
  narrow.addEventListener("change", fold);
  fold();
  const filter = document.getElementById("nav-filter") as HTMLInputElement;
  filter.addEventListener("input", () => {
    const word = filter.value.trim().toLowerCase();
    for (const item of menu.querySelectorAll<HTMLElement>("li")) item.hidden = !(item.textContent ?? "").toLowerCase().includes(word);
    for (const list of menu.querySelectorAll("ul")) {
      const empty = [...list.children].every((item) => (item as HTMLElement).hidden);
      list.hidden = empty;
      (list.previousElementSibling as HTMLElement).hidden = empty;
    }
  });
  menu.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}
