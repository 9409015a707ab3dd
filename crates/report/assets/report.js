"use strict";
(() => {
  // How far below the window plots are already drawn [px].
  const AHEAD = 800;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const plots = [...document.querySelectorAll("figure")].map(figure => ({
    box: figure.querySelector(".plot"),
    text: figure.querySelector("script").textContent,
    drawn: null,
    wide: 0,
  }));

  const theme = () => {
    const style = getComputedStyle(document.documentElement);
    const colour = name => style.getPropertyValue(name).trim();
    const [ink, soft, rule] = [colour("--ink"), colour("--soft"), colour("--rule")];
    const font = getComputedStyle(document.body).fontFamily;
    return {
      background: "transparent",
      font,
      view: { stroke: rule },
      axis: {
        labelColor: soft, titleColor: ink, domainColor: soft, tickColor: soft, gridColor: rule, gridOpacity: 0.7,
        labelFontSize: 12, titleFontSize: 13, titleFontWeight: "normal", titlePadding: 8, labelPadding: 4,
      },
      legend: { labelColor: ink, labelFontSize: 13, rowPadding: 4, columnPadding: 18, offset: 10, padding: 0 },
    };
  };

  const ruler = document.createElement("canvas").getContext("2d");
  const columns = (names, width) => {
    ruler.font = `13px ${getComputedStyle(document.body).fontFamily}`;
    const widest = Math.max(...names.map(name => ruler.measureText(name).width)) + 44;
    const most = Math.max(1, Math.floor(width / widest));
    // As few rows as possible, then as even as possible.
    return Math.ceil(names.length / Math.ceil(names.length / most));
  };

  const draw = async plot => {
    const spec = JSON.parse(plot.text);
    const width = plot.box.clientWidth;
    plot.wide = width;
    const { legend, scale } = spec.layer.at(-1).encoding.color;
    if (legend) {
      // The legend begins where the ordinate is.
      const room = width - 70;
      legend.columns = columns(scale.domain, room);
      legend.labelLimit = room - 40;
    }
    plot.drawn?.finalize();
    plot.drawn = await vegaEmbed(plot.box, spec, {
      config: theme(),
      renderer: "canvas",
      actions: { export: true, source: false, compiled: false, editor: false },
      tooltip: { theme: dark.matches ? "dark" : "light" },
    });
    plot.box.classList.add("ready");
  };

  const report = (plot, error) => {
    plot.box.textContent = `This plot could not be drawn: ${error}`;
  };
  const begin = plot => {
    plot.begun = true;
    return draw(plot).catch(error => report(plot, error));
  };

  // Sixty plots at once would keep a reader waiting: each is drawn shortly before it comes into sight.
  const seen = new IntersectionObserver(entries => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      seen.unobserve(entry.target);
      begin(plots.find(plot => plot.box === entry.target));
    }
  }, { rootMargin: `${AHEAD}px 0px` });
  for (const plot of plots) {
    // The first ones at once, not a frame later.
    if (plot.box.getBoundingClientRect().top < innerHeight + AHEAD) begin(plot);
    else seen.observe(plot.box);
  }

  const again = () => {
    for (const plot of plots) if (plot.begun) begin(plot);
  };
  dark.addEventListener("change", again);

  // Vega follows the width by itself, but not with the columns of its legend.
  let waiting;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      for (const plot of plots) if (plot.begun && Math.abs(plot.box.clientWidth - plot.wide) > 40) begin(plot);
    }, 250);
  });

  addEventListener("beforeprint", () => {
    for (const plot of plots) if (!plot.begun) begin(plot);
  });

  for (const button of document.querySelectorAll("button.copy")) {
    button.addEventListener("click", async () => {
      const code = button.previousElementSibling;
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        // Not allowed from a file in some browsers: mark it, ready for the keyboard.
        getSelection().selectAllChildren(code);
        button.textContent = "Press Ctrl + C";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
  }
})();
