// The report's colours (after Okabe and Ito 2008, and Tol's "vibrant"): told apart by colour-blind readers, on white and on black.

const COLOURS = ["#007fc8", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#8570c9", "#33bbee", "#a6761d", "#999933", "#808080"];
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

/** Of the flow of that index; beyond ten flows the dashes change. */
export function colour(index: number): string {
  return COLOURS[index % COLOURS.length];
}

export function dash(index: number): number[] {
  return DASHES[Math.floor(index / COLOURS.length) % DASHES.length];
}
