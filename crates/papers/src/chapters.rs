//! What the papers say, paper by paper, and the figures that show what is left of it: the story of the report's overview. It has no numbers, which
//! belong to the claims.

use symbiosis_report::Chapter;

/// A chapter for each paper, and for what this project adds.
pub const CHAPTERS: &[Chapter] = &[
    Chapter {
        key: "I",
        title: "I: the first form (Iguchi, Hasegawa, Murata 2005)",
        story: "The first paper lets a window grow by a logistic curve towards the bandwidth that inline measurement finds, and compares it with Reno, \
                HighSpeed and Scalable TCP: windows without a sawtooth, and flows that share.\n\n\
                The form is run as `symbiosis-early`, with what the paper measures with and with the oracle, which knows capacity and available bandwidth.",
        figures: &["I4-symbiosis", "I5", "I6-jain"],
    },
    Chapter {
        key: "S",
        title: "S: TCP Symbiosis (Hasegawa, Murata 2006)",
        story: "The competition model of Lotka and Volterra gives every sender a window that settles: full link, short queue, no loss, and equal shares \
                among any number of flows.\n\n\
                The figures show one flow over time, five flows that join and leave, and the throughput over rates of the link, each beside the loss-based \
                controllers of its time. `symbiosis-paper` is what the paper describes, with what it leaves open chosen as docs/measurement.md lists; `symbiosis` is the same law with this project's measurement.",
        figures: &["S7-measuring", "S11-symbiosis", "S11-jain"],
    },
    Chapter {
        key: "T",
        title: "T: robustness (Kodama 2009)",
        story: "The thesis asks what errors of measurement do to the model, lowers γ where the measurement is noisy, and drains queues on purpose so that \
                flows which began on a full queue learn the path's true round-trip time.",
        figures: &["T3-queue", "B6-ratio", "T11-jain"],
    },
    Chapter {
        key: "B",
        title: "B: real networks (Kodama 2007)",
        story: "The first implementation in a kernel, measured in a laboratory and over the Internet between Osaka and Tokyo. Here its paths are simulated, and \
                `reproduce --world linux` runs the laboratory's tables under Linux' own TCP.",
        figures: &["B12-throughput", "B9-throughput", "B4-error"],
    },
    Chapter {
        key: "H",
        title: "H: Homeostatic Congestion Control (Magalhães, Monteiro, Carrano)",
        story: "A rate instead of a window: a probe raises it, the jitter of its own packets lowers it, and the two hold each other. The experiments put it alone, \
                beside its own kind, beside TCP and on links that lose at random.\n\n\
                H does not say how long its queue was. The one of H2 to H6 is fitted to their claims: that they hold says that there is such a queue.",
        figures: &["H2-time", "H4-share", "H10-fairness"],
    },
    Chapter {
        key: "M",
        title: "M: what this project measures beyond the papers",
        story: "How well capacity and available bandwidth are read inline, what disturbs the reading, and what follows for queue, throughput and the share beside \
                loss-based flows. The bars are our own and say so.",
        figures: &["M2-bias", "M1-steps", "M5-buffer"],
    },
    Chapter {
        key: "W",
        title: "W: one controller, three worlds",
        story: "The same code in the simulator, over QUIC and under Linux' TCP on the same path.",
        figures: &["W3-throughput"],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ALL, IN_KERNEL};

    #[test]
    fn every_experiment_has_its_chapter() {
        for experiment in ALL.iter().chain(IN_KERNEL) {
            assert!(CHAPTERS.iter().any(|chapter| experiment.id.starts_with(chapter.key)), "{}", experiment.id);
        }
    }
}
