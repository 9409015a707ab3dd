import embed from "vega-embed";

(globalThis as unknown as { vegaEmbed: typeof embed }).vegaEmbed = embed;
