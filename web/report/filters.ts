// Search and filters over all experiments and their claims. What is asked for stands in the address, so that it can be shared.

const FIELDS = ["search", "by-paper", "by-verdict", "by-basis", "by-controller"];

export function filters() {
  const form = document.querySelector<HTMLFormElement>("form.filters");
  if (!form) return;
  const field = (id: string) => document.getElementById(id) as HTMLInputElement | HTMLSelectElement;
  const rows = [...document.querySelectorAll<HTMLElement>(".row")].map((element) => ({
    element,
    paper: element.dataset.paper ?? "",
    controllers: (element.dataset.controllers ?? "").split(" "),
    heading: (element.querySelector("h3")?.textContent ?? "").toLowerCase(),
    details: element.querySelector("details"),
    claims: [...element.querySelectorAll<HTMLElement>("li")].map((claim) => ({
      element: claim, verdict: claim.dataset.verdict, basis: claim.dataset.basis, text: (claim.textContent ?? "").toLowerCase(),
    })),
  }));
  const apply = () => {
    const [search, paper, verdict, basis, controller] = FIELDS.map((id) => field(id).value.trim());
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    const narrowed = words.length > 0 || verdict !== "" || basis !== "";
    let experiments = 0;
    let claims = 0;
    for (const row of rows) {
      const here = (!paper || row.paper === paper) && (!controller || row.controllers.includes(controller));
      let shown = 0;
      for (const claim of row.claims) {
        const text = `${row.heading} ${claim.text}`;
        const fits = here && (!verdict || claim.verdict === verdict) && (!basis || claim.basis === basis) && words.every((word) => text.includes(word));
        claim.element.hidden = !fits;
        shown += fits ? 1 : 0;
      }
      const bare = here && !verdict && !basis && words.every((word) => row.heading.includes(word));
      row.element.hidden = shown === 0 && !bare;
      if (row.details) row.details.open = narrowed && shown > 0;
      experiments += row.element.hidden ? 0 : 1;
      claims += shown;
    }
    document.getElementById("found")!.textContent = `${experiments} of ${rows.length} experiments, ${claims} claims`;
    const asked = new URLSearchParams(FIELDS.map((id) => [id, field(id).value]).filter(([, value]) => value));
    history.replaceState(null, "", asked.size > 0 ? `?${asked}` : location.pathname);
  };
  const asked = new URLSearchParams(location.search);
  for (const id of FIELDS) field(id).value = asked.get(id) ?? "";
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", apply);
  form.addEventListener("reset", () => setTimeout(apply));
  apply();
}
