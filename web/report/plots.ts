// Plots that answer the pointer, in the place of pictures. Each is drawn shortly before it comes into sight, and the library that draws is
// loaded with the first.

import type { EmbedOptions, Result, VisualizationSpec } from "vega-embed";

type Embed = (element: HTMLElement, spec: VisualizationSpec, options: EmbedOptions) => Promise<Result>;
interface Plot { box: HTMLElement; spec: Spec; drawn: Result | null; begun: boolean; wide: number }
interface Spec { layer: { encoding: { color: { legend?: Record<string, unknown>; scale: { domain: string[] } } } }[]; encoding: { x: { title?: string } } }

/** How far below the window plots are already drawn [px]. */
const AHEAD = 600;
/** The zoom's signals of both axes, as Vega-Lite names them. */
const ZOOM = "zoom_x";
const ORDINATE = "zoom_y";

let library: Promise<Embed> | undefined;

function load(): Promise<Embed> {
  library ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${document.body.dataset.base ?? ""}assets/vega.js`;
    script.onload = () => resolve((globalThis as unknown as { vegaEmbed: Embed }).vegaEmbed);
    script.onerror = () => reject(new Error("assets/vega.js is missing"));
    document.head.append(script);
  });
  return library;
}

function theme() {
  const style = getComputedStyle(document.documentElement);
  const [ink, soft, rule] = ["--ink", "--soft", "--rule"].map((name) => style.getPropertyValue(name).trim());
  return {
    background: "transparent", font: getComputedStyle(document.body).fontFamily, view: { stroke: rule },
    axis: {
      labelColor: soft, titleColor: ink, domainColor: soft, tickColor: soft, gridColor: rule, gridOpacity: 0.7, labelFontSize: 12, titleFontSize: 13,
      titleFontWeight: "normal" as const, titlePadding: 8, labelPadding: 4,
    },
    legend: { labelColor: ink, labelFontSize: 13, rowPadding: 4, columnPadding: 18, offset: 10, padding: 0 },
  };
}

const ruler = document.createElement("canvas").getContext("2d")!;

/** Columns of a legend: as few rows as possible, then as even as possible. */
function columns(names: string[], width: number): number {
  ruler.font = `13px ${getComputedStyle(document.body).fontFamily}`;
  const widest = Math.max(...names.map((name) => ruler.measureText(name).width)) + 44;
  const most = Math.max(1, Math.floor(width / widest));
  return Math.ceil(names.length / Math.ceil(names.length / most));
}

/** Draws all plots anew when the theme changes. */
export function plots(): () => void {
  const all: Plot[] = [...document.querySelectorAll("figure")].map((figure) => ({
    box: figure.querySelector<HTMLElement>(".plot")!, spec: JSON.parse(figure.querySelector("script")!.textContent!) as Spec, drawn: null, begun: false, wide: 0,
  }));

  const draw = async (plot: Plot) => {
    const spec = structuredClone(plot.spec);
    plot.wide = plot.box.clientWidth;
    const { legend, scale } = spec.layer.at(-1)!.encoding.color;
    if (legend) {
      // The legend begins where the ordinate is.
      const room = plot.wide - 70;
      legend.columns = columns(scale.domain, room);
      legend.labelLimit = room - 40;
    }
    const embed = await load();
    plot.drawn?.finalize();
    plot.box.replaceChildren();
    plot.drawn = await embed(plot.box, spec as unknown as VisualizationSpec, {
      config: theme(), renderer: "canvas", actions: { export: true, source: false, compiled: false, editor: false },
      tooltip: { theme: getComputedStyle(document.documentElement).colorScheme.startsWith("dark") ? "dark" : "light" },
    });
    plot.box.classList.add("ready");
    const canvas = plot.box.querySelector("canvas");
    canvas?.setAttribute("role", "img");
    canvas?.setAttribute("aria-label", plot.box.closest("figure")?.querySelector("h2")?.textContent ?? "");
    plot.box.querySelector("summary")?.setAttribute("aria-label", "Save this plot");
    link(plot);
  };

  // Zoom and pan of plots over the same axis: windows, rates, queue and round-trip times over time.
  let leading: Plot | null = null;
  const link = (plot: Plot) => {
    const view = plot.drawn!.view;
    view.addSignalListener(ZOOM, (_, range) => {
      if (leading && leading !== plot) return;
      leading = plot;
      const others = all.filter((other) => other !== plot && other.drawn && other.spec.encoding.x.title === plot.spec.encoding.x.title);
      const follow = ({ view }: Result) => {
        // Vega-Lite zooms both axes or none: the ordinate stays as it is.
        if (range && !view.signal(ORDINATE)) view.signal(ORDINATE, view.scale("y").domain());
        return view.signal(ZOOM, range).runAsync();
      };
      void Promise.all(others.map((other) => follow(other.drawn!))).then(() => (leading = null));
    });
  };

  const begin = (plot: Plot) => {
    plot.begun = true;
    return draw(plot).catch((error: unknown) => {
      plot.box.append(`This plot could not be drawn: ${String(error)}`);
    });
  };
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      seen.unobserve(entry.target);
      void begin(all.find((plot) => plot.box === entry.target)!);
    }
  }, { rootMargin: `${AHEAD}px 0px` });
  for (const plot of all) seen.observe(plot.box);

  const again = () => all.filter((plot) => plot.begun).forEach((plot) => void begin(plot));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  // Vega follows the width by itself, but not with the columns of its legend.
  let waiting: ReturnType<typeof setTimeout>;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => all.filter((plot) => plot.begun && Math.abs(plot.box.clientWidth - plot.wide) > 40).forEach((plot) => void begin(plot)), 250);
  });
  return again;
}
