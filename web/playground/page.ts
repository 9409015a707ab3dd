// The playground: controls, time line and charts around one simulator, or two that are compared on the same seed.

import { Controls, select } from "./controls";
import { byId, el } from "./dom";
import { Engine, type Ready } from "./engine";
import type { Problem } from "./messages";
import { firstController, textWithController, toml, withController, type Model } from "./model";
import { Panel } from "./panel";
import { PRESETS } from "./presets";
import { pack, unpack, type Shared } from "./share";
import { Timeline } from "./timeline";
import { Common, KINDS, Zoom } from "./charts";

/** Samples of a trace: two for each pixel of a wide chart. */
const SAMPLES = 2000;
/** Simulated seconds a second. */
const SPEEDS = [1, 2, 5, 10, 30, Infinity];
/** Changes closer together than this [ms] become one run. */
const SETTLE_MS = 120;

class Page {
  private state: Shared = { model: structuredClone(PRESETS[0].model), compare: null, text: null };
  private speed = 10;
  private paused = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private panels: Panel[] = [];
  private readonly zoom = new Zoom();
  private readonly commons = new Map(KINDS.map((kind) => [kind.id, new Common()]));
  private readonly controls: Controls;
  private readonly timeline: Timeline;

  constructor(ready: Ready, first: Engine) {
    first.close();
    this.controls = new Controls(byId("controls"), ready, (m) => this.edit(m));
    this.timeline = new Timeline(byId("timeline"), (m) => this.edit(m));
    const presets = byId<HTMLSelectElement>("preset");
    for (const group of new Set(PRESETS.map((preset) => preset.group))) {
      presets.append(el("optgroup", { label: group }, ...PRESETS.flatMap((preset, index) =>
        (preset.group === group ? [el("option", { value: String(index) }, preset.title)] : []))));
    }
    presets.onchange = () => {
      const { model, text } = PRESETS[Number(presets.value)];
      this.open({ model: structuredClone(model), compare: this.state.compare, text: text ?? null });
    };
    const names = ["nothing", ...ready.controllers.map((entry) => entry.name)];
    byId("compare-place").replaceChildren(select("compare", names, "nothing", (cc) => this.compare(cc === "nothing" ? null : cc)));
    const speeds = byId<HTMLSelectElement>("speed");
    speeds.append(...SPEEDS.map((speed) => el("option", { value: String(speed), selected: speed === this.speed }, speed === Infinity ? "as fast as can be" : `${speed} × real time`)));
    speeds.onchange = () => this.setSpeed(Number(speeds.value));
    byId("pause").onclick = () => this.pause(!this.paused);
    byId("again").onclick = () => this.begin(0);
    byId("zoom-out").onclick = () => this.zoom.set(null);
    byId("copy-link").onclick = () => this.copy(byId("copy-link"), location.href);
    byId("copy-toml").onclick = () => this.copy(byId("copy-toml"), this.text());
    byId<HTMLInputElement>("by-hand").onchange = (event) => this.byHand((event.target as HTMLInputElement).checked);
    const text = byId<HTMLTextAreaElement>("toml");
    text.oninput = () => { this.state.text = text.value; this.later(); };
    byId<HTMLInputElement>("trace").onchange = (event) => void this.load((event.target as HTMLInputElement).files?.[0]);
    byId("theme").onclick = () => this.theme();
    window.onhashchange = () => void this.fromAddress();
    document.onkeydown = (event) => {
      if (event.key === " " && (event.target === document.body)) { event.preventDefault(); this.pause(!this.paused); }
    };
  }

  async fromAddress() {
    this.open((await unpack(location.hash)) ?? this.state);
  }

  private open(state: Shared) {
    this.state = state;
    const preset = PRESETS.findIndex((preset) => (state.text === null ? !preset.text && toml(preset.model) === toml(state.model) : preset.text === state.text));
    byId<HTMLSelectElement>("preset").value = preset < 0 ? "" : String(preset);
    byId<HTMLSelectElement>("compare").value = state.compare ?? "nothing";
    byId<HTMLInputElement>("by-hand").checked = state.text !== null;
    this.zoom.set(null);
    this.show();
    this.begin(0);
  }

  private show() {
    const { model: m, text } = this.state;
    const rest = `${m.about ? `${m.about} ` : ""}The text of the scenario decides; the controls rest.`;
    byId("about").textContent = text === null ? m.about : rest;
    byId<HTMLFieldSetElement>("controls-set").disabled = text !== null;
    this.controls.show(m);
    this.timeline.show(m);
    const area = byId<HTMLTextAreaElement>("toml");
    area.readOnly = text === null;
    area.value = this.text();
  }

  private text(): string {
    return this.state.text ?? toml(this.state.model);
  }

  private edit(m: Model) {
    this.state = { ...this.state, model: m, text: null };
    byId<HTMLInputElement>("by-hand").checked = false;
    byId<HTMLSelectElement>("preset").value = "";
    // Whoever drags a slider keeps it: the form is made again only when another part of it changed.
    if (document.activeElement instanceof HTMLInputElement && document.activeElement.type === "range") {
      this.timeline.show(m);
      byId<HTMLTextAreaElement>("toml").value = this.text();
    } else this.show();
    this.later();
  }

  private later() {
    clearTimeout(this.timer);
    // The new scenario goes on where the old one was: up to there it is simulated as fast as can be.
    const now = this.panels[0]?.now() ?? 0;
    this.timer = setTimeout(() => this.begin(now), SETTLE_MS);
  }

  private begin(ahead: number) {
    clearTimeout(this.timer);
    const { model: m, compare, text } = this.state;
    const scenarios: [string, Model, string | null][] = [[(text === null ? m.flows[0]?.cc : firstController(text)) ?? "", m, text]];
    if (compare) scenarios.push([compare, withController(m, compare), text === null ? null : textWithController(text, compare)]);
    while (this.panels.length > scenarios.length) this.panels.pop()!.remove();
    while (this.panels.length < scenarios.length) {
      const first = this.panels.length === 0;
      this.panels.push(new Panel(byId("panels"), this.zoom, this.commons, (seconds) => first && this.timeline.moment(seconds), (problem) => this.problem(problem)));
    }
    this.problem(null);
    const title = (cc: string) => (scenarios.length === 1 ? "" : cc);
    scenarios.forEach(([cc, scenario, text], at) => this.panels[at].start(title(cc), scenario, text, SAMPLES, ahead, this.speed, this.paused));
    void pack(this.state).then((hash) => history.replaceState(null, "", `#${hash}`));
  }

  private problem(problem: Problem | null) {
    const place = byId("problem");
    place.hidden = problem === null;
    if (problem) place.textContent = `${problem.line ? `Line ${problem.line}: ` : ""}${problem.what}${problem.help ? ` — ${problem.help}` : ""}`;
  }

  private compare(cc: string | null) {
    this.state = { ...this.state, compare: cc };
    this.begin(0);
  }

  private setSpeed(speed: number) {
    this.speed = speed;
    this.panels.forEach((panel) => panel.engine.speed(speed));
  }

  private pause(paused: boolean) {
    this.paused = paused;
    byId("pause").textContent = paused ? "Go on" : "Pause";
    this.panels.forEach((panel) => panel.engine.pause(paused));
  }

  private byHand(on: boolean) {
    this.state = { ...this.state, text: on ? this.text() : null };
    this.show();
    this.begin(0);
  }

  private async load(file: File | undefined) {
    if (!file) return;
    const text = await file.text();
    if (file.name.endsWith(".csv")) this.panels[0]?.measured(file.name, text, (problem) => this.problem(problem));
    else this.edit({ ...this.state.model, trace: { name: file.name, text }, steps: [] });
  }

  private async copy(button: HTMLElement, text: string) {
    const before = button.textContent;
    await navigator.clipboard.writeText(text).then(() => (button.textContent = "Copied"), () => (button.textContent = "The browser refused"));
    setTimeout(() => (button.textContent = before), 1500);
  }

  private theme() {
    const root = document.documentElement;
    const dark = getComputedStyle(root).colorScheme.startsWith("dark");
    root.dataset.theme = dark ? "light" : "dark";
    this.panels.forEach((panel) => panel.redraw());
  }
}

async function open() {
  const first = new Engine({ started() {}, rows() {}, done() {}, problem() {} });
  await new Page(await first.ready, first).fromAddress();
}

void open();
